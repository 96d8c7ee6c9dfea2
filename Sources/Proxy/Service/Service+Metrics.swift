import Feed
import HTTP

extension Service {
  /// Answers with all metrics; off the loop, since it asks the readers.
  func answerMetrics(_ context: RequestContext, _ responder: HeldResponder) {
    Task(executorPreference: executor) { [self] in
      var readers: [(SourceBinding, ReaderStatus)] = []
      // What a merged one reads is counted with the sources of its parts.
      for source in sources.values.sorted(by: { $0.name < $1.name })
      where source.kind != .merged {
        readers.append((source, await source.reader.status))
      }
      var text = MetricsText()
      text.begin("tsugi_build_info", .gauge, "1, with the version of the program.")
      text.add(1, ["version": version])
      text.add(ProcessFigures(), startedAt: state.startedAt)
      text.add(metrics.merged(), connections: metrics.connections)
      text.add(held: metrics.held)
      text.add(events.counts)
      text.add(readers)
      text.add(store.load, bytesMax: storeLimits.bytes)
      if let sharing = store.sharing { text.add(sharing, store.load, at: time.now) }
      var response = Response(body: Array(text.text.utf8))
      response.fields.append("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
      response.fields.append("Cache-Control", "no-store")
      responder.send(finished(response, for: context))
    }
  }
}

extension MetricsText {
  /// What the system says of the process.
  fileprivate mutating func add(_ figures: ProcessFigures, startedAt: Timestamp) {
    begin("process_cpu_seconds_total", .counter, "Processor time used, of user and system.")
    add(figures.cpuSeconds)
    begin("process_start_time_seconds", .gauge, "Unix time at which the server was made.")
    add(startedAt.seconds)
    for (name, value, help) in [
      ("process_resident_memory_bytes", figures.residentBytes, "Resident memory."),
      ("process_open_fds", figures.openDescriptors, "Open files and sockets."),
      ("process_max_fds", figures.maxDescriptors, "The most files and sockets that may be open."),
    ] {
      guard let value else { continue }
      begin(name, .gauge, help)
      add(value)
    }
  }

  /// What the server counted of its own work.
  fileprivate mutating func add(_ counts: Metrics.Counts, connections: Int) {
    begin("tsugi_http_requests_total", .counter, "Replies by route and status.")
    for (kind, count) in counts.replies.sorted(by: {
      ($0.key.route.rawValue, $0.key.status) < ($1.key.route.rawValue, $1.key.status)
    }) {
      add(count, ["route": kind.route.rawValue, "status": "\(kind.status)"])
    }
    begin(
      "tsugi_http_request_duration_seconds", .histogram,
      "Time from a request's head to its reply; a reply from the answer cache counts as 0.")
    var total = 0
    for (index, count) in counts.buckets.enumerated() {
      total += count
      let bounds = Metrics.bucketBounds
      add(total, ["le": index < bounds.count ? "\(bounds[index])" : "+Inf"], suffix: "_bucket")
    }
    add(counts.seconds, suffix: "_sum")
    add(total, suffix: "_count")
    begin("tsugi_http_connections", .gauge, "Open connections.")
    add(connections)
    begin("tsugi_answer_cache_hits_total", .counter, "Replies from the answer cache.")
    add(counts.hits)
    begin("tsugi_answer_cache_bytes", .gauge, "Bytes in the answer cache.")
    add(counts.cacheBytes)
    begin(
      "tsugi_store_slices_total", .counter, "Slices served from the store without an upstream call."
    )
    add(counts.storedSlices)
    begin("tsugi_stale_slices_total", .counter, "Replies with a stale or expired slice.")
    add(counts.staleSlices)
  }

  /// What waits for peers.
  fileprivate mutating func add(held: (bytes: Int, cut: Int)) {
    begin("tsugi_http_held_bytes", .gauge, "Bytes waiting to be sent to slow clients.")
    add(held.bytes)
    begin(
      "tsugi_http_cut_connections_total", .counter,
      "Connections reset because too many bytes waited for slow clients.")
    add(held.cut)
  }

  /// Who listens.
  fileprivate mutating func add(_ counts: (listening: Int, cut: Int)) {
    begin("tsugi_event_listeners", .gauge, "Open event streams.")
    add(counts.listening)
    begin(
      "tsugi_event_listeners_cut_total", .counter,
      "Event streams closed because the client was too slow.")
    add(counts.cut)
  }

  /// How full the store is.
  fileprivate mutating func add(_ load: StoreLoad, bytesMax: Int64) {
    begin("tsugi_store_bytes", .gauge, "Bytes stored, without free space in the file.")
    add(load.bytes)
    begin("tsugi_store_max_bytes", .gauge, "Bytes above which feeds are evicted.")
    add(bytesMax)
    begin("tsugi_store_feeds", .gauge, "Stored feeds.")
    add(load.feeds)
    begin("tsugi_store_evictions_total", .counter, "Feeds evicted as a whole.")
    add(load.feedsEvicted)
    begin(
      "tsugi_store_evicted_places_total", .counter,
      "Items and tombstones evicted or expired.")
    add(load.placesEvicted)
  }

  /// The status of the shared store.
  fileprivate mutating func add(_ sharing: SharingStatus, _ copy: StoreLoad, at now: Timestamp) {
    begin("tsugi_store_up", .gauge, "1 if the shared store is reachable, else 0.")
    add(sharing.isUp ? 1 : 0)
    begin("tsugi_store_lag_seconds", .gauge, "Seconds since the shared store last answered.")
    add(sharing.lagSeconds(at: now))
    begin("tsugi_store_number", .gauge, "Last change number applied, by source.")
    for (source, number) in sharing.numbers.sorted(by: { $0.key < $1.key }) {
      add(number, ["source": source])
    }
    begin("tsugi_replicas", .gauge, "Live servers.")
    add(sharing.servers)
    begin("tsugi_local_bytes", .gauge, "Bytes of the local copy, without free space in its file.")
    add(copy.bytes)
    begin("tsugi_claims_total", .counter, "Claims for upstream calls, by result.")
    for result in ["granted", "declined", "held", "behind"] {
      add(sharing.counts[result] ?? 0, ["result": result])
    }
    for (name, key, help) in [
      (
        "tsugi_fenced_total", "fenced",
        "Upstream answers refused because a newer claim was granted."
      ),
      (
        "tsugi_store_conflicts_total", "conflicts", "Updates that conflicted with another server's."
      ),
      (
        "tsugi_notifications_total", "notifications",
        "Notifications of changes from the shared store."
      ),
      ("tsugi_polls_total", "polls", "Polls of the shared store for changes."),
      (
        "tsugi_contents_brought_bytes_total", "broughtBytes",
        "Bytes of item contents copied from the shared store."
      ),
    ] {
      begin(name, .counter, help)
      add(sharing.counts[key] ?? 0)
    }
    begin(
      "tsugi_store_call_seconds", .summary, "Duration of calls to the shared store, by operation.")
    for (operation, calls) in sharing.calls.sorted(by: { $0.key < $1.key }) {
      add(calls.seconds, ["op": operation], suffix: "_sum")
      add(calls.count, ["op": operation], suffix: "_count")
    }
  }

  /// How the sources stand.
  fileprivate mutating func add(_ readers: [(source: SourceBinding, status: ReaderStatus)]) {
    begin("tsugi_upstream_calls_total", .counter, "Upstream calls by purpose and outcome.")
    for (source, _) in readers {
      for (kind, count) in source.calls.all.sorted(by: {
        ($0.key.purpose, $0.key.outcome) < ($1.key.purpose, $1.key.outcome)
      }) {
        add(
          count,
          [
            "source": source.name, "purpose": "\(kind.purpose)", "outcome": kind.outcome,
          ])
      }
    }
    begin(
      "tsugi_upstream_faulty_elements_total", .counter,
      "Faulty items in upstream answers, by fault; only displaced ones are served.")
    for (source, _) in readers {
      for (fault, count) in source.calls.faults.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        add(count, ["source": source.name, "fault": fault.rawValue])
      }
    }
    begin(
      "tsugi_recipe_doubtful", .gauge,
      "Feeds whose answers contradict their recipe, by sign.")
    for (source, _) in readers {
      for (sign, count) in source.calls.signs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        add(count, ["source": source.name, "sign": sign.rawValue])
      }
    }
    begin(
      "tsugi_file_refused", .gauge, "1 for each file source that cannot be read, with the reason.")
    for (source, _) in readers where source.kind == .file {
      guard let failure = source.calls.failure else { continue }
      add(1, ["source": source.name, "reason": failure.reason])
    }
    var budgets: [(labels: KeyValuePairs<String, String>, budget: Budget)] = []
    for (source, status) in readers {
      budgets.append((["source": source.name], status.budget))
      for (name, budget) in status.namedBudgets.sorted(by: { $0.key < $1.key }) {
        budgets.append((["source": source.name, "budget": name], budget))
      }
    }
    begin(
      "tsugi_upstream_budget_remaining", .gauge,
      "Upstream calls left, by source and budget.")
    for (labels, budget) in budgets { add(budget.remaining, labels) }
    begin(
      "tsugi_upstream_budget_reset_timestamp_seconds", .gauge,
      "Unix time at which the upstream budget is reset.")
    for (labels, budget) in budgets {
      if let reset = budget.resetAt { add(reset.seconds, labels) }
    }
    add(readers, "tsugi_upstream_flights", "Upstream calls in progress or queued.") {
      $0.flights
    }
    add(readers, "tsugi_feeds", "Feeds in memory.") { $0.feeds }
    add(readers, "tsugi_gaps", "Gaps of the feeds in memory.") { $0.gaps }
    add(
      readers, "tsugi_unusable_places",
      "Positions of the feeds in memory whose item cannot be used."
    ) { $0.unusablePlaces }
  }

  private mutating func add(
    _ readers: [(source: SourceBinding, status: ReaderStatus)], _ name: String, _ help: String,
    _ value: (ReaderStatus) -> Int
  ) {
    begin(name, .gauge, help)
    for (source, status) in readers { add(value(status), ["source": source.name]) }
  }
}
