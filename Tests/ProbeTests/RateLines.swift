/// What APIs say of their rate with each answer; `#` is a number that falls by one a call.
enum RateLines {
  /// One line a dialect that is read without a key.
  static let read: [[String]] = [
    ["RateLimit-Limit: 100, 100;w=70", "RateLimit-Remaining: #"],
    ["RateLimit: limit=100, remaining=#, reset=30", "RateLimit-Policy: 100;w=60"],
    [#"RateLimit: "default";r=#;t=30"#, #"RateLimit-Policy: "default";q=100;w=60"#],
    ["X-RateLimit-Limit: 60", "X-RateLimit-Remaining: #", "X-RateLimit-Reset: 7"],
    ["X-Rate-Limit-Limit: 60", "X-Rate-Limit-Remaining: #"], ["Rate-Remaining: #"],
    ["X-RateLimit-Limit-Minute: 90", "X-RateLimit-Remaining-Minute: #"],
    ["X-RateLimit-Requests-Remaining: #"], ["X-Shopify-Shop-Api-Call-Limit: 32/40"],
  ]

  private static let polite = [#""calls": 60"#, #""seconds": 60"#]

  /// Fields, members of the body, and the keys that are written.
  static let own: [([String], String, [String])] = [
    (
      ["X-HubSpot-RateLimit-Remaining: #", "X-HubSpot-RateLimit-Max: 100"], "",
      polite + [
        #""remaining": "header:X-Hubspot-Ratelimit-Remaining""#,
        #""limit": "header:X-Hubspot-Ratelimit-Max""#,
      ]
    ),
    (["X-App-Calls-Left: #"], "", polite + [#""remaining": "header:X-App-Calls-Left""#]),
    (
      [], #""quota_max":300,"quota_remaining":#"#,
      polite + [#""remaining": "quota_remaining""#, #""limit": "quota_max""#]
    ),
    // These do not fall, or are no calls.
    (["X-App-Calls-Left: 99"], "", polite), ([], #""remaining":#"#, polite), ([], "", polite),
  ]
}
