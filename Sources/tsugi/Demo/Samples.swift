import Bytes
import Feed

/// What the demo serves besides its upstream: two small feeds that a reader can know by heart.
enum Samples {
  /// A file of the demo, and the source it is served as.
  struct File: Sendable {
    var source: String
    var name: String
    /// The field by which it is ordered, the greatest first; nil for the order of the file.
    var key: String?
    /// The text at a second since 1970.
    var text: @Sendable (Int64) -> String
  }

  /// The files, one of each form that a file source reads.
  static let files = [
    File(source: "fruits", name: "fruits.json", key: "picked_at", text: fruits),
    File(source: "tickets", name: "tickets.ndjson") { _ in tickets },
  ]

  /// How long before the one above it a fruit was picked. Seconds.
  private static let pickingSeconds: Int64 = 300

  /// The fruits, the first picked just before `now`.
  @Sendable private static func fruits(_ now: Int64) -> String {
    var picked = now
    return basket.split(separator: "\n").map { line in
      guard line.contains("\"price\"") else { return "\(line)\n" }
      picked -= pickingSeconds
      let time = RFC3339.text(Timestamp(seconds: picked))
      return line.replacing(", \"price\"", with: ", \"picked_at\": \"\(time)\", \"price\"") + "\n"
    }.joined()
  }

  /// Seventeen fruits and their prices: a JSON array, without the times of picking.
  private static let basket = """
    [
      { "id": 1, "name": "りんご", "price": 200 },
      { "id": 2, "name": "みかん", "price": 200 },
      { "id": 3, "name": "ぶどう", "price": 300 },
      { "id": 4, "name": "いちご", "price": 400 },
      { "id": 5, "name": "なし", "price": 400 },
      { "id": 6, "name": "スイカ", "price": 800 },
      { "id": 7, "name": "洋なし", "price": 200 },
      { "id": 8, "name": "ブルーベリー", "price": 400 },
      { "id": 9, "name": "メロン", "price": 800 },
      { "id": 10, "name": "びわ", "price": 200 },
      { "id": 11, "name": "パイナップル", "price": 200 },
      { "id": 12, "name": "オレンジ", "price": 200 },
      { "id": 13, "name": "バナナ", "price": 200 },
      { "id": 14, "name": "キウイ", "price": 200 },
      { "id": 15, "name": "レモン", "price": 200 },
      { "id": 16, "name": "もも", "price": 400 },
      { "id": 17, "name": "マスカット", "price": 900 }
    ]

    """

  /// Twenty tickets: one object a line. By five they end with a full slice.
  static let tickets = """
    {"id":"T-120","title":"ログインできない","status":"open","priority":"high"}
    {"id":"T-119","title":"一覧の末尾が二重に表示される","status":"open","priority":"high"}
    {"id":"T-118","title":"通知が届かない","status":"open","priority":"medium"}
    {"id":"T-117","title":"ダークモードで文字が読めない","status":"in_progress","priority":"medium"}
    {"id":"T-116","title":"画像の読み込みが遅い","status":"in_progress","priority":"medium"}
    {"id":"T-115","title":"検索結果が並び替えられない","status":"open","priority":"low"}
    {"id":"T-114","title":"退会手続きの案内を直す","status":"closed","priority":"low"}
    {"id":"T-113","title":"プッシュ通知の許可を求める画面","status":"in_progress","priority":"medium"}
    {"id":"T-112","title":"オフラインで空の画面になる","status":"open","priority":"high"}
    {"id":"T-111","title":"日付の表示が一日ずれる","status":"closed","priority":"high"}
    {"id":"T-110","title":"引っ張って更新しても変わらない","status":"open","priority":"medium"}
    {"id":"T-109","title":"タブを切り替えると先頭に戻る","status":"open","priority":"low"}
    {"id":"T-108","title":"フォントを大きくすると崩れる","status":"closed","priority":"low"}
    {"id":"T-107","title":"添付ファイルを開けない","status":"in_progress","priority":"high"}
    {"id":"T-106","title":"メールアドレスを変更できない","status":"closed","priority":"medium"}
    {"id":"T-105","title":"コメントの改行が消える","status":"open","priority":"medium"}
    {"id":"T-104","title":"共有リンクが期限切れになる","status":"open","priority":"low"}
    {"id":"T-103","title":"キーボードが入力欄を隠す","status":"closed","priority":"medium"}
    {"id":"T-102","title":"初回起動に十秒かかる","status":"closed","priority":"high"}
    {"id":"T-101","title":"アプリのアイコンを差し替える","status":"closed","priority":"low"}

    """
}
