/// The rate limits of a source: the one that its calls count in, and those that some of its feeds
/// have to themselves, as a search often has.
package struct Budgets: Hashable, Sendable {
  /// What a limit is taken to bear until an answer says.
  package var assumed: RateAllowance {
    didSet {
      own.assumed = assumed
      for name in named.keys { named[name]?.assumed = assumed }
    }
  }
  /// The source's.
  package private(set) var own: Budget
  /// Those of a name, as far as they were met.
  package private(set) var named: [String: Budget] = [:]

  /// The limits of a source, of which its own is known.
  package init(own: Budget) {
    self.own = own
    assumed = own.assumed
  }

  /// The limit of a name; the source's where that is nil. One that was not met is as one of which
  /// nothing is known.
  package subscript(name: String?) -> Budget {
    get { name.map { named[$0] ?? Budget(assumed: assumed) } ?? own }
    set {
      if let name { named[name] = newValue } else { own = newValue }
    }
  }

  /// Whether a limit was met, or read from where it was kept.
  package func knows(_ name: String) -> Bool { named[name] != nil }

  /// Calls sent and not yet answered, of all limits.
  package var inFlight: Int { named.values.reduce(own.inFlight) { $0 + $1.inFlight } }

  /// Forgets what answers said, as they said it to another caller.
  package mutating func forgetAnswers() {
    own.forgetAnswers()
    for name in named.keys { named[name]?.forgetAnswers() }
  }

  /// The name under which a source's limit is kept: `github`, or `github:search`.
  package static func keptName(of name: String?, in source: String) -> String {
    name.map { "\(source):\($0)" } ?? source
  }
}
