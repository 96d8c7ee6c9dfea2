import Feed

/// What became of an answer to a call for a window.
enum Landed {
  /// It is stored, with what it proved.
  case taken(Evidence?)
  /// It brought nothing, or what contradicts itself.
  case failed(FetchError)
  /// It could not be stored.
  case notStored(StoreError)
}

/// What became of an answer to a call for one item.
enum LandedItem {
  /// It is stored.
  case taken
  /// It was known, and is gone.
  case deleted
  /// It brought nothing.
  case failed(FetchError)
  /// It could not be stored.
  case notStored(StoreError)
}

/// A call that an answer leads to.
enum FollowUp {
  /// A window of the same feed, before what follows its call by itself.
  case ask(Ask)
  /// An item that left the feed, or lacks in it, and may be gone.
  case confirm(ItemName)
}

/// What laying an answer in has shown.
struct Laid {
  /// Elements that were not known, had left, or lacked when they were last looked for.
  var arrived = 0
  /// Those of them that stand below what it proves: they arrive each time, until they are proven.
  var open: Set<Identity> = []
  /// Those of them that came into what was proven.
  var found = 0
  /// Elements that were known where it speaks, and lacked for the first time.
  var lacking = 0
  /// Whether one was not known at all.
  var hasNews = false
  /// Whether it shows news at the end of a list whose end was known.
  var endsInNews = false
  /// Ranges in doubt since one came where the answer ends.
  var doubted: [CutRange] = []
}
