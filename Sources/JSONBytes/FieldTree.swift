/// Which members of a JSON value are kept when it is cut: a tree of names, grown path by path.
///
/// A new tree keeps nothing. Of `user` and `user.id` the wider wins, in whatever order they came.
package struct FieldTree: Hashable, Sendable {
  /// The members that are kept; nil keeps the whole value.
  private(set) var members: [Member]?

  /// A member's name and what is kept of its value.
  struct Member: Hashable, Sendable {
    var name: [UInt8]
    var tree: FieldTree
  }

  /// A tree that keeps nothing.
  package init() {
    members = []
  }

  /// Keeps the value at the end of a path of names, whole; of an empty path it is everything.
  package mutating func keep(_ path: some Collection<[UInt8]>) {
    guard let name = path.first else {
      members = nil
      return
    }
    guard var members else { return }
    let place = members.firstIndex { $0.name == name } ?? members.endIndex
    if place == members.endIndex { members.append(Member(name: name, tree: FieldTree())) }
    members[place].tree.keep(path.dropFirst())
    self.members = members
  }
}
