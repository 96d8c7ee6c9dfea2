import Bytes
import Feed
import JSONBytes
import Upstream

/// Asks a running server for slices and how a feed stands, and waits where it says so.
struct SliceClient {
  /// How often a slice is asked for again before its error is final.
  static let retriesMax = 5
  /// The longest pause a server may ask for: as long as a budget of calls lasts, and a little. A
  /// longer one is the end.
  static let pauseSecondsMax: Int64 = 3_660

  private let client: UpstreamClient
  private let key: Secret?
  private let tell: @Sendable (String) -> Void
  private let pause: @Sendable (_ seconds: Int64) async -> Void

  /// What a command asks through, to be closed when it is done.
  ///
  /// - Throws: `.noAnswer` when it cannot start.
  static func transport() throws(CommandError) -> UpstreamClient {
    do throws(FetchError) {
      return try UpstreamClient(version: Tsugi.version)
    } catch {
      throw .noAnswer(error)
    }
  }

  /// A client that reports each pause in words; `pause` makes it. `key` is one of the server's.
  init(
    client: UpstreamClient, key: Secret? = nil,
    tell: @escaping @Sendable (String) -> Void,
    pause: @escaping @Sendable (_ seconds: Int64) async -> Void = { seconds in
      // A cancelled pause only asks earlier.
      try? await Task.sleep(for: .seconds(seconds))
    }
  ) {
    self.client = client
    self.key = key
    self.tell = tell
    self.pause = pause
  }

  /// The slice at a URL.
  ///
  /// - Throws: `.noAnswer`, `.refused` or `.notASlice`.
  func slice(at url: FeedURL) async throws(CommandError) -> WalkedSlice {
    let reply = try await patientReply(from: url)
    do throws(JSONError) {
      return try WalkedSlice(envelope: reply.body)
    } catch {
      throw .notASlice
    }
  }

  /// How the feed at a URL stands.
  ///
  /// - Throws: `.noAnswer`, `.refused` or `.notAStatus`.
  func status(of feed: FeedURL) async throws(CommandError) -> WarmStatus {
    let reply = try await patientReply(from: feed.asking("status"))
    do throws(JSONError) {
      return try WarmStatus(body: reply.body)
    } catch {
      throw .notAStatus
    }
  }

  /// A good reply, asked for again as the server says.
  private func patientReply(from url: FeedURL) async throws(CommandError) -> Reply {
    for retries in 0...SliceClient.retriesMax {
      let reply = try await reply(from: url)
      if reply.status == 200 { return reply }
      guard let seconds = pauseSeconds(before: reply, retries: retries) else {
        throw .refused(reply)
      }
      tell("asking again in \(seconds) s: \(CommandError.refused(reply))")
      await pause(seconds)
    }
    preconditionFailure("the last retry returns or throws")
  }

  private func reply(from url: FeedURL) async throws(CommandError) -> Reply {
    do throws(FetchError) {
      return try await client.reply(from: url.description, key: key)
    } catch {
      throw .noAnswer(error)
    }
  }

  /// How long to wait before asking again; nil when asking again is of no use.
  private func pauseSeconds(before reply: Reply, retries: Int) -> Int64? {
    guard [429, 503, 504].contains(reply.status), retries < SliceClient.retriesMax,
      let seconds = reply.fields.number("Retry-After"), seconds <= SliceClient.pauseSecondsMax
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
