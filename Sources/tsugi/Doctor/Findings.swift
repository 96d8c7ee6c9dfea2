import Bytes
import Feed
import Glibc
import HTTP
import SQLiteStore
import Settings

/// What observations mean, and what to do; the observations are ``Examination``'s.
extension Finding {
  /// Less free space than this is too little, in MB: an answer, the log beside the file, and a copy
  /// of either.
  static let freeMegabytesMin: Int64 = 100
  /// Clocks that differ by more than this are not both right: a call takes less. Seconds.
  static let clockSecondsMax: Int64 = 60

  /// The store's file: `freeBytes` are left on its disk, and `isWritable` says whether it, or its
  /// folder, takes a write.
  static func store(
    _ glance: Result<StoreGlance?, StoreError>, _ settings: Configuration.Store,
    freeBytes: Int64?, isWritable: Bool
  ) -> Finding {
    let path = settings.path
    func failed(_ text: String) -> Finding {
      Finding(state: .failed, subject: "store", text: text)
    }
    let glanced: StoreGlance?
    switch glance {
    case .success(let value): glanced = value
    case .failure(let error): return failed("\(error.reason); name another file in store.path")
    }
    guard isWritable else {
      return failed("\(path) cannot be written: give this user its folder, or set store.path")
    }
    if let freeBytes, freeBytes >> 20 < freeMegabytesMin {
      return failed("\(freeBytes >> 20) MB are free on its disk: free at least \(freeMegabytesMin)")
    }
    guard let glanced else {
      return Finding(state: .ok, subject: "store", text: "\(path) is not there yet; serve makes it")
    }
    let size = "\(glanced.bytes >> 20) of \(settings.bytesMax >> 20) MB"
    let use = glanced.isInUse ? ", in use by a running server" : ""
    return Finding(
      state: .ok, subject: "store",
      text: "\(path): \(glanced.feeds) feeds, \(glanced.items) items, \(size)\(use)")
  }

  /// The port: `isOurs` when the server that uses this store answers there.
  static func port(_ error: ServerError?, at address: Address, isOurs: Bool) -> Finding {
    func finding(_ state: State, _ text: String) -> Finding {
      Finding(state: state, subject: "port", text: "\(address) \(text)")
    }
    switch error {
    case nil: return finding(.ok, "is free")
    case .systemCall("bind", let number) where number == EADDRINUSE:
      if isOurs { return finding(.ok, "is used by the running server, which is ready") }
      return finding(.failed, "is taken: end what listens there, or set server.port")
    case .systemCall(let name, let number):
      return finding(.failed, "cannot be used (\(name): \(SystemError.text(number)))")
    case .hostUnknown, .alreadyStarted:
      return finding(.failed, "is no address of this machine: set server.host")
    }
  }

  /// A source's upstream; nil as an error when it answered well.
  static func upstream(_ name: String, _ error: FetchError?, at url: String) -> Finding {
    let subject = "upstream \(name)"
    func failed(_ advice: String) -> Finding {
      Finding(
        state: .failed, subject: subject, text: "\(url): \(error?.reason ?? ""); \(advice)")
    }
    switch error {
    case nil, .unchanged: return Finding(state: .ok, subject: subject, text: "\(url) answers")
    case .rateLimited: return failed("stored items are served until then")
    case .refused: return failed("see the token or auth of sources.\(name)")
    case .notFound, .rejected, .malformed, .tooLarge:
      return failed("see sources.\(name), and try check --probe")
    case .serverError, .noAnswer, .timedOut, .cut:
      return failed("it is the upstream's; stored items are served meanwhile")
    case .unreachable: return failed("see sources.\(name).baseURL, the network and its proxies")
    }
  }

  /// A file source; nil as an error when it can be read.
  static func file(_ name: String, _ error: FetchError?, at path: String) -> Finding {
    guard let error else {
      return Finding(state: .ok, subject: "file \(name)", text: "\(path) can be read")
    }
    return Finding(
      state: .failed, subject: "file \(name)", text: "\(path): \(error.reason); write it again")
  }

  /// A merged feed, by its required parts: of which sources are `failing`, and of which those are
  /// that answered without a `Date`.
  static func merged(
    _ name: String, _ merged: Configuration.Source.Merged, failing: Set<String>,
    undated: Set<String>
  ) -> Finding {
    func parts(of sources: Set<String>) -> String? {
      let names = merged.parts.sorted { $0.key < $1.key }
        .filter { !$0.value.isOptional && sources.contains($0.value.source) }.map(\.key)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    func finding(_ state: State, _ text: String) -> Finding {
      Finding(state: state, subject: "merged \(name)", text: text)
    }
    if let parts = parts(of: failing) {
      return finding(
        .failed, "its top waits for \(parts): mend the source, or set optional for the part")
    }
    if let parts = parts(of: undated) {
      return finding(
        .note,
        "no Date from the upstream of \(parts), so its top ends at the newest item there; "
          + "optional shows the others' newer items")
    }
    return finding(.ok, "\(merged.parts.count) parts")
  }

  /// How far this machine's clock is ahead of an upstream's, in seconds; nil where none said.
  static func clock(secondsAhead: Int64?) -> Finding {
    guard let seconds = secondsAhead else {
      return Finding(
        state: .note, subject: "clock", text: "no upstream answered with a Date to compare it with")
    }
    let distance = seconds.magnitude
    guard distance > clockSecondsMax else {
      return Finding(
        state: .ok, subject: "clock", text: "within \(clockSecondsMax) s of an upstream")
    }
    let side = seconds > 0 ? "ahead of" : "behind"
    return Finding(
      state: .failed, subject: "clock",
      text: "\(distance) s \(side) an upstream's: synchronize it (NTP)")
  }

  /// The calls left of a source: as its answer said, else as it is assumed.
  static func budget(
    _ name: String, _ reading: BudgetReading?, assuming allowance: RateAllowance
  ) -> Finding {
    let subject = "budget \(name)"
    guard let reading, !reading.isPause else {
      let rate = allowance.words
      guard let key = allowance.assumedFor else {
        return Finding(state: .ok, subject: subject, text: "\(rate), as configured")
      }
      return Finding(
        state: .note, subject: subject, text: "\(rate) are assumed; \(key) sets another rate")
    }
    let left = "\(reading.remaining) of \(reading.limit) calls left"
    guard reading.remaining == 0 else {
      return Finding(state: .ok, subject: subject, text: left)
    }
    let reset = RFC3339.text(Timestamp(seconds: reading.resetSeconds))
    return Finding(
      state: .failed, subject: subject, text: "\(left) until \(reset): wait, or set a token")
  }
}
