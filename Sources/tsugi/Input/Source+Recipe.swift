import Feed
import Settings
import Upstream

extension Configuration.Source {
  /// How the source is asked and read; nil for a file.
  var recipe: Recipe? {
    switch self {
    case .qiita(let qiita): qiita.recipe
    case .http(let http): http.recipe
    case .file, .merged: nil
    }
  }

  /// The rate that holds until its answers state one; nil for a file.
  var allowance: RateAllowance? {
    switch self {
    case .qiita(let qiita): qiita.policy.allowance
    case .http(let http): http.policy.allowance
    case .file, .merged: nil
    }
  }
}

extension RateAllowance {
  /// `60 calls in 3600 s`
  var words: String { "\(calls) calls in \(period.components.seconds) s" }
}
