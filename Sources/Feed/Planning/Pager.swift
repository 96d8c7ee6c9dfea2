/// A way of paging: by what a plan knows it says about where the page lies that shows a place, and
/// what names that page. A plan itself only asks whether there is one.
protocol Pager {
  /// What is known.
  var plan: Plan { get }

  /// About where the page lies that shows what lies below a cut; nil where none does.
  func aim(below target: Target) -> Window?
  func aim(above cut: Cut) -> Window?
  /// About where the page lies by which a search goes on.
  func aim(seeking seek: Seek) -> Window?
  /// The page below a cut with its place named where its rank does not name it; nil where nothing
  /// does.
  func name(_ aim: Window, below cut: Cut, by handles: any Handles) -> Window?

  /// Where the way to a place begins; nil where none leads there.
  func way(to place: Place, for purpose: Purpose) -> Place?
  /// The run from which what is sought is gone down to, and whether it is near.
  func descent(to seek: Seek) -> (run: Timeline.Run, isNear: Bool)?
  /// Whether no page reaches beyond a run's bottom: ``Paging/reachMax``.
  func isAtWall(_ run: Timeline.Run) -> Bool
  /// Whether pages come too small to show what lies below a run.
  func isTooSmall(below run: Timeline.Run) -> Bool
}

/// What lies right below a cut, and what is known of the way there.
struct Target {
  let cut: Cut
  /// About at which rank it stands.
  let rank: Int
  let perPageMax: Int
  /// What was tried there.
  let attempt: ExtensionAttempts
  /// The rank beyond which a page has to reach that brings more.
  var beyond: Int { max(rank, attempt.tieCount?.need().beyond ?? 0) }
}

/// What is known to stand at places, and names them where ranks do not.
package protocol Handles {
  /// The last elements of a range, top first.
  func lastElements(below upper: Cut, above lower: Cut, limit: Int) -> [Element]
  /// How many elements of a range are known and have not left.
  func count(below upper: Cut, above lower: Cut) -> Int
  /// What names the place below an element; nil where nothing does.
  func mark(of item: PageItem) -> String?
  /// What names the place at which a key begins; nil where nothing does.
  func mark(of key: Int64) -> String?
  /// What the upstream said to name nothing.
  var refusedMarks: Set<String> { get }
}
