package import Feed
import Synchronization

/// One feed over several: a source whose only feed is made of other sources' when it is read.
///
/// Nothing of it is stored. What a slice shows is decided by ``mergeDown(_:)`` and ``mergeUp(_:)``
/// from what each part has stored (``Piece``). ``MergeReading`` says what is read of which part,
/// and this performs it: on the loop by what is stored alone, else with the upstreams.
package final class MergedSource: SliceSource {
  /// Its name in the configuration.
  package let source: String
  /// Its feed, over all parts.
  let feed: FeedID
  /// All parts.
  let parts: MergedParts
  /// The sources of the parts, each once.
  let sources: [any SliceSource]
  let time: any TimeSource
  let listeners = Mutex(Listeners())

  /// The pattern of its only feed; `parts` chooses among its parts.
  package var pattern: FeedPattern { feed.pattern }

  private static func pattern(of parts: MergedParts) -> FeedPattern {
    var pattern = FeedPattern(
      "items", order: .value, content: nil, unit: .milliseconds,
      paging: Paging(.key, perPageMax: SliceRequest.limitMax), parameters: ["parts"],
      rules: ["parts": .someOf(parts.parts.map(\.name))])
    pattern.parts = parts.parts.map { part in
      FeedPattern.Part(
        name: part.name, feed: part.feed.name, identityPath: part.feed.pattern.identityPath)
    }
    return pattern
  }

  /// A source over parts, of which there are 1 to ``PartNumbers/partsMax``; nil for fewer or more,
  /// or where two realms of theirs cannot be distinguished.
  package init?(name: String, of parts: [MergedPart], time: any TimeSource) {
    guard let parts = MergedParts(parts), parts.parts.count <= PartNumbers.partsMax,
      Set(parts.roles.map(\.scale.mark)).count == Set(parts.roles.map(\.realm)).count
    else { return nil }
    (source, self.parts, self.time) = (name, parts, time)
    var seen: Set<ObjectIdentifier> = []
    sources = parts.parts.map(\.source).filter { seen.insert(ObjectIdentifier($0)).inserted }
    feed = FeedID(
      source: name, pattern: MergedSource.pattern(of: parts), parts: [Array("items".utf8)])
  }

  /// The parts of a feed.
  func parts(of feed: FeedID) throws(ReadError) -> MergedParts {
    guard let parameters = feed.parameters else { return parts }
    let names = parameters.dropFirst("parts=".utf8.count).replacing("%2C", with: ",")
    let chosen = Set(names.split(separator: ",").map(String.init))
    guard let parts = MergedParts(parts.parts, choosing: chosen) else { throw .notFound }
    return parts
  }

  // MARK: Slices

  /// See ``SliceSource``.
  package func stored(
    _ request: SliceRequest, from reader: any TimelineReader
  ) throws(ReadError) -> Slice? {
    let parts = try parts(of: request.feed)
    // Before the state of the file is taken: what is published of one part while another is read
    // is not in it, and what it proves would seem to be empty.
    let before = parts.parts.map { $0.source.version(of: $0.feed) }
    let slice = try reader.inOneState { () throws(ReadError) in
      try storedParts(request, of: parts, from: reader)
    }
    let isCurrent = zip(parts.parts, before).allSatisfy { part, version in
      version?.isCurrent ?? (part.source.version(of: part.feed) == nil)
    }
    return isCurrent ? slice : nil
  }

  private func storedParts(
    _ request: SliceRequest, of parts: MergedParts, from reader: any TimelineReader
  ) throws(ReadError) -> Slice? {
    var reading = try MergeReading(request, of: parts, version: version, at: time.now)
    while true {
      switch reading.next() {
      case .read(let reads):
        for read in reads {
          do throws(ReadError) {
            let source = parts.parts[read.part].source
            guard let slice = try source.stored(read.request, from: reader) else { return nil }
            reading.take(.success(consume slice), of: read)
          } catch {
            reading.take(.failure(error), of: read)
          }
        }
      case .serve(let outcome): return reading.slice(outcome)
      case .ask: return nil
      case .fail(let error):
        // Other servers may know the item, and others than the loop may read what failed.
        if case .store = error.cause { throw error }
        return nil
      }
    }
  }

  /// See ``SliceSource``.
  package func slice(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice {
    let parts = try parts(of: request.feed)
    let now = time.now
    let deadline = now + request.wait
    let permit = permit.map(once)
    var reading = try MergeReading(request, of: parts, version: version, at: now)
    while true {
      let need = reading.next()
      switch need {
      case .ask where time.now >= deadline: reading.endAsking()
      case .read(let reads), .ask(let reads):
        let left = max(.zero, deadline - time.now)
        let results = await together(reads) { read throws(ReadError) in
          var request = read.request
          if read.purpose == .ask { request.wait = parts.parts[read.part].wait(of: left) }
          return try await parts.parts[read.part].source.slice(request, permit: permit)
        }
        for (read, result) in zip(reads, results) { reading.take(result, of: read) }
        if case .ask = need { reading.endRound() }
      case .serve(let outcome):
        let slice = reading.slice(outcome)
        guard let bytes = room?.lack(slice.items.byteCount) else { return slice }
        reading.restart()
        await room?.wait(for: bytes)
      case .fail(let error): throw error
      }
    }
  }

  /// The top as it is known, no part asked.
  func knownTop(of feed: FeedID) async throws(ReadError) -> Slice {
    var request = SliceRequest(feed: feed, limit: 1, wait: .zero)
    request.asksNothing = true
    return try await slice(request)
  }

  /// What several works come to, all done at the same time, in their order.
  func together<Work: Sendable, Done: Sendable>(
    _ works: [Work], _ perform: @escaping @Sendable (Work) async throws(ReadError) -> Done
  ) async -> [Result<Done, ReadError>] {
    await withTaskGroup { group in
      for (index, work) in works.enumerated() {
        group.addTask {
          do throws(ReadError) {
            return (index, Result<Done, ReadError>.success(try await perform(work)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [(index: Int, done: Result<Done, ReadError>)] = []
      for await result in group { results.append(result) }
      return results.sorted { $0.index < $1.index }.map(\.done)
    }
  }
}

/// A permit that is asked once: a merged feed is one opening, however many parts it opens.
func once(_ permit: @escaping OpeningPermit) -> OpeningPermit {
  let answer = Mutex<Duration??>(nil)
  return {
    // Inside the lock: else two parts that are opened at the same time would both ask.
    answer.withLock { answer in
      let given = answer ?? permit()
      answer = .some(given)
      return given
    }
  }
}
