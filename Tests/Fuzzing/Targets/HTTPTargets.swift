#if DEBUG
  import Feed
  @testable import HTTP
  @testable import Proxy

  /// What a parser made of an input, in a form that compares.
  private struct Reading: Equatable {
    var requests: [String] = []
    var refusal: Refusal?
    var isBetweenRequests = true
    /// The plain heads that were shown before they became requests.
    var plain: [String] = []

    init(_ pieces: [ArraySlice<UInt8>], _ limits: Limits) {
      var parser = RequestParser()
      var held: [UInt8] = []
      for piece in pieces {
        held += piece
        let used = held.withUnsafeBytes { parse($0, &parser, limits) }
        guard refusal == nil else { return }
        held.removeFirst(used)
      }
      isBetweenRequests = parser.isBetweenRequests
    }

    private mutating func parse(
      _ bytes: UnsafeRawBufferPointer, _ parser: inout RequestParser, _ limits: Limits
    ) -> Int {
      var position = 0
      while true {
        let head = parser.plainHead(in: bytes, at: position, limits: limits, peer: .loopback)
        let shown = head.map { head in
          let target = String(decoding: head.target, as: UTF8.self)
          let host = head[.host].map { String(decoding: $0, as: UTF8.self) } ?? ""
          return "\(head.isHead ? "HEAD" : "GET") \(host) \(target) [] 1 \(head.closes)"
        }
        switch parser.parse(bytes, from: &position, limits: limits, peer: .loopback) {
        case .incomplete: return position
        case .refused(let refusal):
          self.refusal = refusal
          return position
        case .request(let request):
          let query = request.query.map { "?\($0)" } ?? ""
          requests.append(
            "\(request.method.rawValue) \(request.authority) \(request.path)\(query) "
              + "\(request.body) \(request.minorVersion) \(parser.closes)")
          if let shown { plain.append(shown) }
        }
      }
    }
  }

  /// However an input is split the same comes out of it, and a plain head is nothing but the short
  /// way to the same request.
  func requestFault(_ bytes: [UInt8]) -> String? {
    guard let seed = bytes.first else { return nil }
    var limits = Limits()
    if seed & 2 == 0 {
      // Small ones, so that their edges lie inside short inputs.
      limits.requestLineBytes = 60
      limits.headBytes = 120
      limits.fieldCount = 5
      limits.bodyBytes = 12
      limits.droppedBodyBytes = 6
      limits.chunkLineBytes = 8
      limits.trailerBytes = 10
    }
    let input = bytes.dropFirst()
    let whole = Reading([input], limits)
    let split = Reading(pieces(of: input, seed: seed), limits)
    guard whole.requests == split.requests, whole.refusal == split.refusal,
      whole.isBetweenRequests == split.isBetweenRequests
    else { return "split, it is \(split) instead of \(whole)" }
    guard Set(whole.plain).isSubset(of: whole.requests) else {
      return "a plain head became another request: \(whole)"
    }
    return nil
  }

  private struct Unchunked: Equatable {
    var data: [UInt8] = []
    var isWhole = false
    var refusal: Refusal?
    var used = 0

    init(_ pieces: [ArraySlice<UInt8>], bytesMax: Int) {
      var body = ChunkedBody(bytesMax: bytesMax)
      var held: [UInt8] = []
      for piece in pieces where !isWhole && refusal == nil {
        held += piece
        var position = 0
        do throws(Refusal) {
          isWhole = try read(held, &body, &position)
        } catch {
          refusal = error
        }
        used += position
        held.removeFirst(position)
      }
    }

    private mutating func read(
      _ held: [UInt8], _ body: inout ChunkedBody, _ position: inout Int
    ) throws(Refusal) -> Bool {
      try held.withUnsafeBufferPointer { (bytes) throws(Refusal) in
        try body.read(UnsafeRawBufferPointer(bytes), from: &position, limits: Limits()) {
          data += $0
        }
      }
    }
  }

  /// What is read does not depend on the split, and what is written in chunks is read again.
  func chunkFault(_ bytes: [UInt8]) -> String? {
    guard let seed = bytes.first else { return nil }
    let input = bytes.dropFirst()
    let whole = Unchunked([input], bytesMax: 64)
    let split = Unchunked(pieces(of: input, seed: seed), bytesMax: 64)
    guard whole == split else { return "split, it is \(split) instead of \(whole)" }
    guard whole.data.count <= 64 else { return "more was read than the limit" }
    let chunked = pieces(of: input, seed: seed).flatMap { piece in
      Array("\(String(piece.count, radix: 16));a=\"b\"\r\n".utf8) + piece + Array("\r\n".utf8)
    }
    let end = Array("0\r\nA: b\r\n\r\n".utf8)
    let again = Unchunked([chunked[...] + end], bytesMax: input.count)
    guard again.isWhole, again.data == Array(input) else {
      return "what was written in chunks is read as \(again)"
    }
    return nil
  }

  /// Reads what every request may say of codings, tags, and on whose behalf it comes.
  func fieldFault(_ bytes: [UInt8]) -> String? {
    _ = ContentCoding(accepted: bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    for tag in EntityTags(text) where tag != "*" && !(tag.hasPrefix("\"") && tag.hasSuffix("\"")) {
      return "a tag without quotes: \(tag)"
    }
    let proxies = TrustedProxies([AddressRange("127.0.0.0/8")].compactMap(\.self))
    _ = proxies.client(behind: .loopback, forwardedFor: text, hasForwarded: false)
    if let peer = Peer(text), Peer(peer.description) != peer {
      return "an address that is not itself as \(peer)"
    }
    if let network = AddressRange(text),
      !network.contains(String(text.prefix { $0 != "/" }))
    {
      return "a network without its own address"
    }
    _ = RequestID.isGood(bytes)
    return nil
  }
#endif
