import Feed

extension CallPause.Meaning {
  /// The meaning of an error for readers; nil for one that no call ends with.
  init?(_ error: ReadError) {
    switch error {
    case .notFound: self = .notFound
    case .refused: self = .refused
    case .rateLimited, .rateAssumed(_, _, isOpening: false): self = .rateLimited
    case .unavailable: self = .unavailable
    case .badResponse: self = .badResponse
    case .unknownElement, .positionExpired, .reordered, .deleted, .tooManyOpenings,
      .rateAssumed, .unproven, .timedOut, .store, .part:
      return nil
    }
  }
}

extension CallPause {
  /// What a reader gets.
  var error: ReadError {
    switch meaning {
    case .notFound: .notFound
    case .refused: .refused
    case .rateLimited: .rateLimited(until: until)
    case .unavailable: .unavailable(retryAt: until)
    case .badResponse: .badResponse(retryAt: until)
    }
  }
}
