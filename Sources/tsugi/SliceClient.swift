import Feed
import JSONBytes
import Upstream

/// Asks a running server for slices, and waits where it says so.
struct SliceClient {
  /// How often a slice is asked for again before its error is final.
  static let retriesMax = 5
  /// The longest pause a server may ask for; a longer one ends the walk.
  static let pauseSecondsMax: Int64 = 120

  private let client: UpstreamClient
  private let tell: @Sendable (String) -> Void
  private let pause: @Sendable (_ seconds: Int64) async -> Void

  /// A client that tells of each pause in words; `pause` makes it.
  init(
    client: UpstreamClient, tell: @escaping @Sendable (String) -> Void,
    pause: @escaping @Sendable (_ seconds: Int64) async -> Void = { seconds in
      // A cancelled pause only asks earlier.
      try? await Task.sleep(for: .seconds(seconds))
    }
  ) {
    self.client = client
    self.tell = tell
    self.pause = pause
  }

  /// The slice at a URL.
  ///
  /// - Throws: `.noAnswer`, `.refused` or `.notASlice`.
  func slice(at url: FeedURL) async throws(CommandError) -> WalkedSlice {
    for retries in 0...SliceClient.retriesMax {
      let reply = try await reply(from: url)
      if reply.status == 200 { return try SliceClient.slice(in: reply) }
      guard let seconds = SliceClient.pauseSeconds(before: reply, retries: retries) else {
        throw .refused(reply)
      }
      tell("asking again in \(seconds) s: \(CommandError.refused(reply))")
      await pause(seconds)
    }
    preconditionFailure("the last retry returns or throws")
  }

  private func reply(from url: FeedURL) async throws(CommandError) -> Reply {
    do throws(FetchError) {
      return try await client.reply(from: url.description)
    } catch {
      throw .noAnswer(error)
    }
  }

  private static func slice(in reply: Reply) throws(CommandError) -> WalkedSlice {
    do throws(JSONError) {
      return try WalkedSlice(envelope: reply.body)
    } catch {
      throw .notASlice
    }
  }

  /// How long to wait before asking again; nil when asking again is of no use.
  private static func pauseSeconds(before reply: Reply, retries: Int) -> Int64? {
    guard [429, 503, 504].contains(reply.status), retries < retriesMax,
      let seconds = reply.fields.number("Retry-After"), seconds <= pauseSecondsMax
    else { return nil }
    return max(1, seconds)
  }
}

extension CommandError {
  /// What an error answer says: its problem (RFC 9457), or its status alone.
  static func refused(_ reply: Reply) -> CommandError {
    let text = { (name: String) -> String? in
      do throws(JSONError) {
        return try JSON.member(name, of: reply.body[...]).map { (range) throws(JSONError) in
          String(decoding: try JSON.text(reply.body[range]), as: UTF8.self)
        }
      } catch {
        // No problem document: another server than ours, or one in between.
        return nil
      }
    }
    return .refused(
      status: reply.status, code: text("code"), detail: text("detail") ?? "it did not say why")
  }
}
