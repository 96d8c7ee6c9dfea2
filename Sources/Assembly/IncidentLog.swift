import BufferedStore
import Engine
import Feed
import Logging
import Proxy
import SQLiteStore
import Settings

extension Logger {
  /// Logs what became of a full store.
  func log(_ report: StoreKeeper.Report) {
    switch report {
    case .evicted(let feeds, let places):
      info(
        "the store is full: least recently read feeds are evicted",
        metadata: ["feeds": .stringConvertible(feeds), "places": .stringConvertible(places)])
    case .cannotEvict(let load):
      warning(
        "the store is over its limit and nothing more can be evicted",
        metadata: [
          "bytes": .stringConvertible(load.bytes), "feeds": .stringConvertible(load.feeds),
        ])
    case .replaced(let damaged):
      logReplaced(damaged)
    case .failed(let error):
      warning("the store's maintenance failed", metadata: error.logged)
    case .ahead(let lead):
      warning(
        "the clock was set back: times go on from before until it has caught up, or a restart",
        metadata: ["seconds": .stringConvertible(lead.components.seconds)])
    }
  }

  /// Logs what of the configuration is without effect.
  func log(_ warnings: [Configuration.Problem]) {
    for problem in warnings {
      warning(
        "a variable has no effect",
        metadata: ["variable": "\(problem.place)", "reason": "\(problem.message)"])
    }
  }

  /// Logs where a damaged store's file is.
  func logReplaced(_ damaged: String) {
    error(
      "the store was damaged and set aside, a new one is begun", metadata: ["damaged": "\(damaged)"]
    )
  }

  /// Logs whether fetched items are stored.
  func log(_ report: BufferedStore.Report) {
    switch report {
    // The server ends: what comes then is fetched again.
    case .holding(let cause) where cause == .closed: break
    case .holding(let cause):
      error(
        "nothing can be stored: fetched items are kept in memory for now",
        metadata: cause.logged)
    case .recovered:
      notice("storing works again: items kept in memory are stored")
    }
  }

  /// Logs a source's incident. No token can be in it: an incident carries none.
  func log(_ incident: Incident, of source: String) {
    switch incident {
    case .called(let call):
      var metadata: Logger.Metadata = [
        "source": "\(source)", "path": "\(call.path)", "purpose": "\(call.purpose)",
        "remaining": .stringConvertible(call.budget.remaining),
      ]
      metadata["page"] = call.window.map { .stringConvertible($0.page) }
      metadata["perPage"] = call.window.map { .stringConvertible($0.perPage) }
      let failure = call.failure
      // A 404 is an ordinary response.
      guard let failure, failure != .unchanged, failure != .notFound else {
        metadata["failure"] = failure.map { "\($0.word)" }
        return info("upstream call", metadata: metadata)
      }
      warning(
        "an upstream call failed", metadata: metadata.merging(failure.logged) { $1 })
    case .faultyElements(let feed, let window, let fault, let count, let isFirst):
      // Once a feed and fault: the same element is met again with every look.
      guard isFirst else { return }
      warning(
        "an upstream answer has faulty elements",
        metadata: [
          "feed": "\(feed.source)/\(feed.path)", "fault": "\(fault)",
          "count": .stringConvertible(count),
          "page": .stringConvertible(window.page), "perPage": .stringConvertible(window.perPage),
        ])
    case .doubtful(let feed, let window, let sign, let isFirst):
      guard isFirst else { return }
      warning(
        "the upstream does not answer as its recipe says",
        metadata: [
          "feed": "\(feed.source)/\(feed.path)", "sign": "\(sign)", "key": "\(sign.key)",
          "page": .stringConvertible(window.page), "perPage": .stringConvertible(window.perPage),
        ])
    case .reordered(let feed):
      warning(
        "the upstream does not answer as its recipe says",
        metadata: [
          "feed": "\(feed.source)/\(feed.path)", "sign": "\(RecipeSign.unordered)",
          "key": "\(RecipeSign.unordered.key)", "served": "in the upstream's order",
        ])
    case .reconfigured(let feed):
      notice(
        "a feed was stored by another configuration: it is dropped and read again",
        metadata: ["feed": "\(feed.source)/\(feed.path)"])
    case .rateAssumed(let rate):
      warning(
        "upstream calls wait for an assumed rate limit: neither configuration nor upstream has one",
        metadata: [
          "source": "\(source)", "calls": .stringConvertible(rate.calls),
          "seconds": .stringConvertible(rate.period.components.seconds),
          "key": "\(rate.assumedFor ?? "")",
        ])
    case .storeReplaced(let damaged):
      logReplaced(damaged)
    case .notStored(let error) where error == .closed: break
    case .notStored(let error):
      let metadata: Logger.Metadata = ["source": "\(source)"]
      var message: Logger.Message = "an answer was not stored"
      if case .unreadable = error { message = "a row of the shared store cannot be read" }
      warning(
        message, metadata: metadata.merging(error.logged) { $1 })
    }
  }
}

extension RecipeSign {
  /// The key of the recipe that it speaks of.
  fileprivate var key: String {
    switch self {
    case .unusable: "id"
    case .unordered, .partial: "order"
    case .repeated, .barren: "pages.by"
    case .short: "pages.max"
    case .resized: "pages.size"
    case .inexact: "pages.exact"
    case .silent: "pages.next"
    case .counting: "pages.counted"
    case .redirected: "path"
    }
  }
}
