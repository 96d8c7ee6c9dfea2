#if DEBUG
  // What is fuzzed: everything that reads bytes of a peer, as pure functions from bytes to a fault.
  //
  // A target takes any bytes and says what is wrong with what came out of them, beyond that the
  // process must live on: an outcome that depends on how the input was split, a text that does not
  // come back as it was, a bound that was passed. `Tests/Fuzzing/run` gives them to libFuzzer;
  // `FuzzingTests` replays what was found worth keeping. Only in debug builds, since the targets
  // reach what other targets keep to themselves.

  /// One thing that is fuzzed.
  package enum FuzzTarget: String, CaseIterable, Sendable {
    /// HTTP requests: heads, bodies, pipelines.
    case requests
    /// The chunked coding alone, both ways.
    case chunks
    /// What request fields say: codings, tags, addresses.
    case fields
    /// JSON: validated, split, looked into.
    case json
    /// A value cut to fields.
    case cuts
    /// An upstream page: an array of items.
    case pages
    /// A file that is a source.
    case files
    /// What an upstream's answer says in its fields: budget, links, dates.
    case answers
    /// What a cache makes of the fields of a request and an answer.
    case caching
    /// The heads of an upstream's answer as they came.
    case raw
    /// Gzip, both ways.
    case gzip
    /// Cursors and positions, both ways.
    case cursors
    /// RFC 3339 timestamps, both ways.
    case timestamps
    /// A request's path and query.
    case targets
    /// A configuration file.
    case configurations
    /// An element, with each form and unit of keys.
    case elements
    /// What answers tell of an upstream's clock.
    case clocks
    /// What stores keep as text: timelines, openings.
    case rows
    /// A recipe's list, and an answer to it.
    case recipes

    /// What is wrong with what comes out of these bytes; nil when nothing is.
    package func fault(in bytes: [UInt8]) -> String? {
      switch self {
      case .requests: requestFault(bytes)
      case .chunks: chunkFault(bytes)
      case .fields: fieldFault(bytes)
      case .json: jsonFault(bytes)
      case .cuts: cutFault(bytes)
      case .pages: pageFault(bytes)
      case .files: fileFault(bytes)
      case .answers: answerFault(bytes)
      case .caching: cacheFault(bytes)
      case .raw: rawFault(bytes)
      case .gzip: gzipFault(bytes)
      case .cursors: cursorFault(bytes)
      case .timestamps: timestampFault(bytes)
      case .targets: targetFault(bytes)
      case .configurations: configurationFault(bytes)
      case .elements: elementFault(bytes)
      case .clocks: clockFault(bytes)
      case .rows: rowFault(bytes)
      case .recipes: recipeFault(bytes)
      }
    }
  }

  /// Splits an input at places that its first byte chooses.
  func pieces(of input: ArraySlice<UInt8>, seed: UInt8) -> [ArraySlice<UInt8>] {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    var rest = input
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Mostly short: edges lie close together.
      let count = Int(state >> 33) % (seed % 2 == 0 ? 8 : 64) + 1
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
#endif
