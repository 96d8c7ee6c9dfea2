import Bytes

/// A feed as servers share it: its row, with the version that each commit moves.
package struct SharedFeed: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// Its source's name.
  package var source: String
  /// The realm of its items.
  package var realm: String
  /// How it is ordered.
  package var order: FeedOrder
  /// The fingerprint of its recipe; see ``FeedForm``.
  package var recipe: Int64?
  /// Which of the feed's states this is; 0 before the first commit.
  package var version: Int64
  /// Random, made with each version: two histories of a feed never look alike.
  package var stamp: Int64
  /// Changes are sent whole only after this number.
  package var changesFloor: Int64
  /// What is proven of it.
  package var timeline: Timeline

  /// A feed from its parts.
  package init(
    name: String, source: String, realm: String, order: FeedOrder, version: Int64, stamp: Int64,
    changesFloor: Int64, timeline: Timeline
  ) {
    (self.name, self.source, self.realm, self.order) = (name, source, realm, order)
    (self.version, self.stamp, self.changesFloor) = (version, stamp, changesFloor)
    self.timeline = timeline
  }

  /// By what its rows were written.
  package var form: FeedForm { FeedForm(realm: realm, order: order, recipe: recipe) }

  /// Its version with the version's stamp.
  package var state: SharedState { SharedState(version: version, stamp: stamp) }
}

/// Which state of a feed somebody has.
package struct SharedState: Hashable, Sendable {
  /// Counted by each commit.
  package var version: Int64
  /// Random, made with the version.
  package var stamp: Int64

  /// A state from its parts.
  package init(version: Int64, stamp: Int64) {
    (self.version, self.stamp) = (version, stamp)
  }

  /// The version of the state after this one. After the last number there is, which only a row that
  /// was changed by hand has, versions start over: servers that know it see a version that is lower
  /// than theirs, and begin another epoch.
  package var nextVersion: Int64 { version < .max ? version + 1 : 1 }
}

/// An element's place in a feed, a tombstone included, as servers share it.
package struct SharedElement: Hashable, Sendable {
  /// The place and what is known of it.
  package var known: KnownElement
  /// The last number it took; 0 for none, below 0 where it was merely learnt.
  package var sequence: Int64

  /// An element from its parts.
  package init(known: KnownElement, sequence: Int64) {
    (self.known, self.sequence) = (known, sequence)
  }
}

/// An item as servers share it, without its bytes.
package struct SharedItem: Hashable, Sendable {
  /// Its realm.
  package var realm: String
  /// What names it.
  package var id: Identity
  /// When the request was sent that brought it last, or said that it is gone.
  package var sentAt: Timestamp
  /// Stands for its content; nil where it is gone.
  package var digest: Int64?

  /// An item from its parts.
  package init(realm: String, id: Identity, sentAt: Timestamp, digest: Int64?) {
    (self.realm, self.id, self.sentAt, self.digest) = (realm, id, sentAt, digest)
  }

  /// What stands for a content. Contents of one item differ where their digests do.
  package static func digest(of bytes: [UInt8]) -> Int64 {
    Int64(bitPattern: bytes.withUnsafeBytes { Fingerprint.value(of: $0) })
  }
}

/// The rows of one feed that a commit changed, or that somebody lacks.
package struct SharedRows: Hashable, Sendable {
  /// The feed afterwards.
  package var feed: SharedFeed
  /// Its elements that are others now.
  package var elements: [SharedElement] = []
  /// The items of these elements, and others that changed.
  package var items: [SharedItem] = []
  /// Contents of these items, by identity, as far as they come along.
  package var contents: [Identity: [UInt8]] = [:]

  /// Rows of which only the feed's is known.
  package init(feed: SharedFeed) {
    self.feed = feed
  }
}

/// What others wrote of a source, to be taken in as a whole.
package struct StoreNews: Sendable {
  /// The source's name.
  package var source: String
  /// The number of the last change in it.
  package var number: Int64
  /// The source's revision then.
  package var revision: Int64 = 0
  /// The epoch of the shared store: where it is another than before, all that is here is of another
  /// history.
  package var epoch: String
  /// Whether a local state was never sent by it: then the shared store has lost some, and gone on
  /// otherwise.
  package var isDiverged = false
  /// What becomes of feeds that are here, in this order.
  package var feeds: [Feed] = []
  /// Feeds whose rows cannot be read, with the reason: the local rows of them stay.
  package var unreadable: [String: String] = [:]
  /// Items that changed, whatever feeds they stand in.
  package var items: [SharedItem] = []
  /// The budgets as they are kept then, by name.
  package var budgets: [String: Budget] = [:]
  /// Purges of what else the source has answered, oldest first: the raw route's answers.
  package var purges: [Purge] = []

  /// A purge at some server.
  package struct Purge: Hashable, Sendable {
    /// What is purged: the text of an `AnswerSelection`.
    package var selection: String
    /// When, by the shared store's clock.
    package var at: Timestamp

    /// A purge of a selection at an instant.
    package init(_ selection: String, at: Timestamp) {
      (self.selection, self.at) = (selection, at)
    }
  }

  /// Whether they change what is stored.
  package var changesRows: Bool { !feeds.isEmpty || !items.isEmpty }

  /// What becomes of a feed.
  package enum Feed: Sendable {
    /// These rows are new.
    case rows(SharedRows)
    /// It is gone, or of another history: its local rows go.
    case drop(String)

    /// The feed's name.
    package var name: String {
      switch self {
      case .drop(let name): name
      case .rows(let rows): rows.feed.name
      }
    }
  }

  /// The items whose contents come with the rows of feeds, by realm.
  package var contents: [String: Set<Identity>] {
    feeds.reduce(into: [:]) { contents, feed in
      guard case .rows(let rows) = feed else { return }
      contents[rows.feed.realm, default: []].formUnion(rows.contents.keys)
    }
  }

  /// News that tell of nothing yet.
  package init(source: String, number: Int64, epoch: String) {
    (self.source, self.number, self.epoch) = (source, number, epoch)
  }
}
