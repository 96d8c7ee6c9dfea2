import Testing

/// The table of rooms bites.
struct RoomsTests {
  private static let rooms = [
    "Feed": [Rooms.Room("Values"), Rooms.Room("Proof", uses: ["Values"])]
  ]

  private func messages(_ files: [(path: String, text: String)]) -> [String] {
    let files = files.map { SourceFile(path: "Sources/Feed/\($0.path).swift", text: $0.text) }
    return Rooms.offences(files, allowed: Self.rooms).map(\.message)
  }

  @Test func findsAUseAgainstTheGrain() {
    let values = ("Values/Cut", "struct Cut {\n  var proof: Evidence?\n}")
    let proof = ("Proof/Evidence", "struct Evidence {\n  var cut: Cut\n}")
    #expect(messages([values, proof]) == ["Values uses Evidence of Proof"])
  }

  @Test func findsAnArrowThatNobodyUses() {
    #expect(
      messages([("Proof/Evidence", "struct Evidence {}")])
        == ["Proof of Feed uses nothing of Values: take it out of the table"])
  }

  @Test func findsAFolderThatIsNoRoom() {
    let files = [
      ("Values/Cut", "struct Cut {}"), ("Proof/Evidence", "let cut: Cut?"),
      ("Other/Thing", "struct Thing {}"),
    ]
    #expect(messages(files) == ["Other is no room of Feed"])
  }

  /// A member, a type of one's own with the same name, and a comment are no uses.
  @Test(arguments: [
    "let step = a.Evidence",
    "struct Outer {\n  struct Evidence {}\n  var evidence: Evidence\n}",
    "// Evidence\nlet text = \"Evidence\"",
  ])
  func takesForAUseOnlyWhatIsOne(text: String) {
    let proof = ("Proof/Evidence", "struct Evidence {\n  var cut: Cut\n}")
    #expect(messages([("Values/Cut", "struct Cut {}\n\(text)"), proof]).isEmpty)
  }

  @Test func findsACrowdedFolder() {
    let files = (0...Rooms.filesMax).map {
      SourceFile(path: "Sources/Feed/Values/F\($0).swift", text: "")
    }
    #expect(Rooms.crowded(files).map(\.path) == ["Sources/Feed/Values"])
    #expect(Rooms.crowded(Array(files.dropLast())).isEmpty)
  }
}
