/// What `doctor` found of one thing.
struct Finding: Equatable {
  /// How it is.
  enum State: String {
    case ok = "ok  "
    /// It works, and may not be what was meant.
    case note
    case failed = "FAIL"
  }

  var state: State
  /// What was looked at: `store`, `upstream qiita`.
  var subject: String
  /// What was seen; of a failure also what to do.
  var text: String

  /// `ok    store  tsugi.sqlite: 12 feeds, 3400 items, 98 of 4096 MB`
  var line: String { "\(state.rawValue)  \(subject): \(text)" }
}

extension [Finding] {
  /// Whether nothing failed.
  var areSound: Bool { !contains { $0.state == .failed } }
}
