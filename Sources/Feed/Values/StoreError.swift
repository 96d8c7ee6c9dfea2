/// Why the store could not do what was asked. Nothing was changed then.
package enum StoreError: Error, Hashable, Sendable {
  /// The disk, or the store's own limit, is full.
  case full
  /// The file is not a Tsugi store, or it is damaged.
  case corrupt(message: String)
  /// The file was made by a newer Tsugi: it has `version`, `supported` is known here.
  case newerVersion(version: Int, supported: Int)
  /// The file at `path` is not empty and no SQLite database: somebody else's.
  case foreign(path: String)
  /// The folder that the file at `path` is to stand in is not there.
  case noFolder(path: String)
  /// Another file was begun since what was to be written was read.
  case replaced
  /// Another process serves from this store.
  case locked(path: String)
  /// The shared store cannot be reached, or could not be written in time: nothing was written, or
  /// it is not known whether.
  case unreachable(message: String)
  /// A row of the shared store is none that a server of this version writes: what it says of cannot
  /// be brought. Nothing is wrong with the file here.
  case unreadable(message: String)
  /// Another server has written since what was to be written was read.
  case overtaken
  /// The feed's rows are of this form, which is not that of the feed as it is configured.
  case otherForm(FeedForm)
  /// Contents of these items of a realm are not here yet: they are to be brought.
  case absent([Identity], realm: String)
  /// Reading or writing failed; the code is SQLite's extended result code.
  case failed(code: Int32, message: String)
}

extension StoreError {
  /// What happened, as a word that stays the same.
  package var word: String {
    switch self {
    case .full: "full"
    case .corrupt: "damaged"
    case .newerVersion: "newer_version"
    case .foreign: "foreign"
    case .noFolder: "no_folder"
    case .replaced: "replaced"
    case .locked: "locked"
    case .unreachable: "unreachable"
    case .unreadable: "unreadable"
    case .overtaken: "overtaken"
    case .otherForm: "other_form"
    case .absent: "absent"
    case .failed: "failed"
    }
  }

  /// What happened, for the operator.
  package var reason: String {
    switch self {
    case .full: "the disk is full, or the store as large as it may be"
    case .corrupt(let message): "the store is damaged: \(message)"
    case .newerVersion(let version, let supported):
      "the store was made by a newer tsugi: it has version \(version), this one knows \(supported)"
    case .foreign(let path):
      "the store cannot be \(path): this file is no database; name one that is not there"
    case .noFolder(let path): "the store cannot be \(path): its folder is not there; make it first"
    case .replaced: "the store was damaged, and a new one is begun"
    case .locked(let path): "another process serves from the store \(path)"
    case .unreachable(let message): "the shared store cannot be reached: \(message)"
    case .unreadable(let message): "a row of the shared store cannot be read: \(message)"
    case .overtaken: "another server was faster"
    case .otherForm: "the feed is stored by another configuration"
    case .absent(let ids, _): "\(ids.count) contents have to be brought first"
    case .failed(let code, let message): "the store failed: \(message) (code \(code))"
    }
  }

  /// Whether it is this server's alone, and nothing that others have to do with.
  package var isLocal: Bool {
    switch self {
    case .unreachable, .unreadable, .overtaken, .otherForm, .absent: false
    case .full, .corrupt, .newerVersion, .foreign, .noFolder, .replaced, .locked, .failed: true
    }
  }

  /// Whether it says that the file cannot be relied on.
  package var isDamage: Bool {
    if case .corrupt = self { true } else { false }
  }
}
