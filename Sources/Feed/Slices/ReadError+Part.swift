extension ReadError {
  /// What went wrong, in whichever part.
  package var cause: ReadError {
    if case .part(_, let error) = self { error.cause } else { self }
  }

  /// When the upstream may be asked again, where that is known.
  package var retryAt: Timestamp? {
    switch self {
    case .rateLimited(let instant), .rateAssumed(_, let instant, _),
      .tooManyOpenings(let instant, _), .unavailable(let instant), .unproven(let instant, _),
      .badResponse(let instant):
      instant
    case .part(_, let error): error.retryAt
    case .unknownElement, .positionExpired, .reordered, .notFound, .deleted, .refused, .timedOut,
      .store:
      nil
    }
  }

  /// Why a part of a merged feed is left out that fails so.
  package var missingReason: MissingPart.Reason {
    switch self {
    case .rateLimited, .rateAssumed, .tooManyOpenings: .limited
    case .timedOut: .timeout
    case .reordered: .unordered
    case .part(_, let error): error.missingReason
    case .unknownElement, .positionExpired, .notFound, .deleted, .refused, .unavailable,
      .unproven, .badResponse, .store:
      .unavailable
    }
  }
}
