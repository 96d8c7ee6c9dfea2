import Feed
import HTTP

extension EventHub {
  /// Brings a client to where the others of its channel are, as far as it takes what it missed; it
  /// goes on when that has been taken.
  func advance(_ id: UInt64) async {
    // Only the position is read: a channel that is held has its table copied when it is written.
    while let listener = listeners[id], let position = channels[listener.key]?.position {
      if listener.position == position {
        channels[listener.key]?.ahead.remove(id)
        channels[listener.key]?.live[listener.stream.loop.index, default: [:]][id] =
          listener.stream
        return
      }
      guard let (batch, place) = await batch(listener.key, after: listener.position) else {
        channels[listener.key]?.stalled.insert(id)
        return retry(listener.key)
      }
      guard listeners[id]?.position == listener.position else { return }
      listeners[id]?.position = batch.next
      if let part = batch.part {
        listener.stream.write(part, tellsWhenTaken: true)
        place?.stay(until: listener.stream.loop)
        return
      }
      if batch.next == listener.position, batch.next != channels[listener.key]?.position {
        // The others get it in a moment.
        channels[listener.key]?.ahead.insert(id)
        return
      }
    }
  }

  /// Sends all who are up to date what has changed since; what changes meanwhile comes next.
  func pump(_ key: Key) async {
    guard let serial = channels[key]?.serial, channels[key]?.isPumping == false else {
      channels[key]?.pumpsAgain = true
      return
    }
    channels[key]?.isPumping = true
    var goesOn = true
    while goesOn, channels[key]?.serial == serial, let position = channels[key]?.position {
      channels[key]?.pumpsAgain = false
      let sent = await sendNext(key, serial: serial, after: position)
      guard channels[key]?.serial == serial else { return }
      guard let batch = sent else {
        retry(key)
        break
      }
      if batch.part != nil { await time.sleep(until: time.now + EventHub.pause) }
      for id in channels[key]?.ahead ?? [] { await advance(id) }
      goesOn = batch.hasMore || channels[key]?.pumpsAgain == true
    }
    if channels[key]?.serial == serial { channels[key]?.isPumping = false }
  }

  /// Goes on after a while with a channel of which nothing could be read.
  private func retry(_ key: Key) {
    guard let channel = channels[key], !channel.isRetrying else { return }
    channels[key]?.isRetrying = true
    Task(executorPreference: executor) { [time, weak self] in
      await time.sleep(until: time.now + EventHub.retryPause)
      await self?.goOn(key, serial: channel.serial)
    }
  }

  private func goOn(_ key: Key, serial: UInt64) async {
    guard channels[key]?.serial == serial, let stalled = channels[key]?.stalled else { return }
    channels[key]?.isRetrying = false
    channels[key]?.stalled = []
    await pump(key)
    for id in stalled { await advance(id) }
  }

  /// Reads what changed after a number and sends it; nil where it cannot be read now.
  private func sendNext(
    _ key: Key, serial: UInt64, after position: SequenceNumber
  ) async -> EventBatch? {
    guard let (batch, place) = await batch(key, after: position) else { return nil }
    guard channels[key]?.serial == serial else { return batch }
    channels[key]?.position = batch.next
    if let part = batch.part { send(part, key, next: batch.next, from: place) }
    return batch
  }

  private func send(
    _ part: BodyPart, _ key: Key, next: SequenceNumber, from place: RenderingPlace?
  ) {
    for streams in (channels[key]?.live ?? [:]).values {
      for id in streams.keys { listeners[id]?.position = next }
      streams.values.first?.loop.write(part, to: Array(streams.values))
      if let loop = streams.values.first?.loop { place?.stay(until: loop) }
    }
  }

  /// Records a batch for who missed it; where all channels together hold too much, the others hold
  /// none any more.
  private func record(_ batch: EventBatch, of key: Key) {
    let before = channels[key]?.recent.bytes ?? 0
    channels[key]?.recent.append(batch)
    let after = channels[key]?.recent.bytes ?? 0
    recentBytes += after - before
    guard recentBytes > recentBytesMax else { return }
    for other in Array(channels.keys) where other != key {
      channels[other]?.recent = RecentEvents()
    }
    recentBytes = after
  }

  /// What changed after a number, encoded, and where that is counted until a loop has it; nil where
  /// it cannot be read now.
  private func batch(
    _ key: Key, after position: SequenceNumber
  ) async -> (EventBatch, RenderingPlace?)? {
    guard let source = channels[key]?.source else { return nil }
    if let known = channels[key]?.recent.batch(after: position) { return (known, nil) }
    let place = await RenderingPlace(forChangesIn: backlog)
    let reading: ChangeReading
    do throws(ReadError) {
      reading = try await source.reader.changes(
        of: key.feed, after: position, limit: EventHub.changesMax, learned: false)
    } catch {
      // The store fails: clients get nothing until it works again, and all of it then.
      return nil
    }
    place.enter(reading.byteCount)
    let batch = EventBatch(reading, after: position, key)
    if batch.part != nil { record(batch, of: key) }
    return (batch, place)
  }
}

extension RenderingPlace {
  /// Stays a place until a loop has taken what it was given before.
  fileprivate func stay(until loop: Loop) {
    loop.run { withExtendedLifetime(self) {} }
  }
}

extension EventBatch {
  /// What was read, encoded.
  fileprivate init(_ reading: ChangeReading, after position: SequenceNumber, _ key: EventHub.Key) {
    after = position
    switch reading {
    case .expired(let present):
      next = present
      hasMore = false
      part = BodyPart(EventText.reset(to: present))
    case .changes(let changes):
      next = changes.next
      hasMore = changes.hasMore
      tellsDeletion = changes.changes.contains { $0.event == .delete }
      guard !changes.changes.isEmpty else { return }
      let rendering = ChangeRendering(
        feed: key.feed, epoch: changes.next.epoch, lineage: changes.lineage,
        trail: changes.trail, told: changes.told,
        fields: key.fields ?? .identity(at: key.feed.pattern.identityPaths))
      part = BodyPart(rendering.events(changes.changes))
    }
  }
}
