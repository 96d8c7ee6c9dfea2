/// The stuff articles are made of: tags, names, titles, paragraphs. Nothing here is recorded.
enum Prose {
  /// Tags from frequent to rare; some need care in a path.
  static let tags = [
    "Python", "JavaScript", "AWS", "初心者", "TypeScript", "React", "Docker", "Ruby", "PHP", "Swift",
    "Rails", "Linux", "機械学習", "Java", "Go", "Vue.js", "C#", "Git", "Laravel", "Rust", "iOS",
    "Android", "Kotlin", "C++", "Node.js", "Azure", "GoogleCloud", "SQL", "MySQL", "生成AI", "CI/CD",
    ".NET", "ポエム", "競技プログラミング", "AtCoder", "Flutter", "Unity", "数学", "セキュリティ", "R&D",
    "ggplot2逆引き", "やってみた", "Next.js", "個人開発",
  ]

  /// One paragraph as its author wrote it and as it is shown, both escaped for JSON already.
  struct Paragraph {
    let markdown: [UInt8]
    let html: [UInt8]

    init(_ markdown: String, _ html: String) {
      self.markdown = RailsJSON.escaped(markdown + "\n\n")
      self.html = RailsJSON.escaped(html + "\n")
    }
  }

  /// The id of a user: mixed in form, one in fifty has an `@`.
  static func userID(_ number: Int) -> String {
    let names = ["sakura", "Ken_T", "mizuho-dev", "yama", "R0bin", "tanuki_", "haru", "o-matsu"]
    let name = names[number % names.count]
    return number % 50 == 49 ? "\(name)\(number)@github" : "\(name)\(number)"
  }

  /// The title of an article; another version has another one.
  static func title(number: Int, version: Int, tag: String) -> String {
    let forms = [
      "\(tag)で非同期処理をきれいに書く", "【\(tag)】はじめての環境構築メモ", "\(tag)のエラー <Nothing> を直した話 🙂",
      "Understanding \(tag) & friends", "\(tag)を1年使ってわかったこと ✨", "\(tag) \"in practice\" まとめ",
    ]
    let edited = version == 0 ? "" : "(改訂\(version))"
    return "\(forms[number % forms.count]) その\(number)\(edited)"
  }

  /// Long and short paragraphs with code, tables, lists and an embedded frame.
  static let paragraphs: [Paragraph] = [
    Paragraph(
      "## はじめに\n\nこんにちは！この記事では、実際の開発で困ったことと、その解決までの流れをまとめます 📌",
      """
      <h2 data-sourcepos="1:1-1:15">\n<span id="はじめに" class="fragment"></span>\
      <a href="#%E3%81%AF%E3%81%98%E3%82%81%E3%81%AB"><i class="fa fa-link"></i></a>はじめに</h2>
      <p data-sourcepos="3:1-3:120">こんにちは！この記事では、実際の開発で困ったことと、その解決までの流れをまとめます 📌</p>
      """),
    Paragraph(
      """
      ```swift:main.swift
      let total = values.filter { $0 > 0 && $0 < limit }.reduce(0, +)
      print("合計: \\(total)\\n")\tif total >= 100 { exit(1) }
      ```
      """,
      """
      <div class="code-frame" data-lang="swift" data-sourcepos="5:1-8:3">\
      <div class="code-lang"><span class="bold">main.swift</span></div>
      <div class="highlight"><pre><code><span class="k">let</span> <span class="nv">total</span> \
      <span class="o">=</span> <span class="n">values</span><span class="o">.</span>filter \
      <span class="p">{</span> <span class="nv">$0</span> <span class="o">&gt;</span> \
      <span class="mi">0</span> <span class="o">&amp;&amp;</span> <span class="nv">$0</span> \
      <span class="o">&lt;</span> <span class="n">limit</span> <span class="p">}</span>
      <span class="nf">print</span><span class="p">(</span><span class="s">"合計: \
      \\(total)\\n"</span>\
      <span class="p">)</span>
      </code></pre></div>
      </div>
      """),
    Paragraph(
      "| 方法 | 時間 | メモリ |\n|:--|--:|--:|\n| そのまま | 12.4秒 | 1.2GB |\n| 改良後 | 0.8秒 | 90MB |",
      """
      <table data-sourcepos="10:1-13:30">\n<thead>\n<tr>\n<th style="text-align: left">方法</th>
      <th style="text-align: right">時間</th>\n<th style="text-align: right">メモリ</th>\n</tr>
      </thead>\n<tbody>\n<tr>\n<td style="text-align: left">そのまま</td>
      <td style="text-align: right">12.4秒</td>\n<td style="text-align: right">1.2GB</td>\n</tr>
      <tr>\n<td style="text-align: left">改良後</td>\n<td style="text-align: right">0.8秒</td>
      <td style="text-align: right">90MB</td>\n</tr>\n</tbody>\n</table>
      """),
    Paragraph(
      "原因は単純で、キャッシュの**有効期限**を確認せずに古い値を使い続けていたことでした。ログを見ると一目瞭然です。"
        + "同じ問題で悩んでいる方の助けになれば嬉しいです🙇‍♂️",
      """
      <p data-sourcepos="15:1-15:210">原因は単純で、キャッシュの<strong>有効期限</strong>を確認せずに古い値を使い続けていたことでした。\
      ログを見ると一目瞭然です。同じ問題で悩んでいる方の助けになれば嬉しいです🙇‍♂️</p>
      """),
    Paragraph(
      "https://example.com/embed?id=42&theme=dark",
      """
      <iframe id="qiita-embed-content__0c1d" src="https://example.com/embed?id=42&amp;theme=dark" \
      data-content="https%3A%2F%2Fexample.com%2Fembed" frameborder="0" scrolling="no" \
      loading="lazy" \
      style="width:100%;" height="29">\n</iframe>
      """),
    Paragraph(
      "- まず `apt-get update` を実行する\n- 次に設定ファイル C:\\\\tools\\\\config を開く\n- 最後に再起動する 🚀",
      """
      <ul data-sourcepos="20:1-22:40">\n<li data-sourcepos="20:1-20:38">まず \
      <code>apt-get update</code> を実行する</li>\n<li data-sourcepos="21:1-21:45">次に設定ファイル \
      C:\\tools\\config を開く</li>\n<li data-sourcepos="22:1-22:30">最後に再起動する 🚀</li>\n</ul>
      """),
  ]

  /// For the rest of a text and for small ones.
  static let sentence = Paragraph("短い文です 🙂", #"<p data-sourcepos="1:1-1:20">短い文です 🙂</p>"#)

  /// Sizes of both texts together that one in ten articles stays below, and so on: the median is
  /// 16 KB, one in fifty is above 100 KB.
  private static let sizeDeciles = [
    1_200, 4_000, 7_000, 10_000, 13_000, 16_000, 20_500, 27_000, 38_000, 62_000, 120_000,
  ]

  /// A size as at Qiita.
  static func bodyBytes(from generator: inout SeededGenerator) -> Int {
    let decile = generator.below(sizeDeciles.count - 1)
    let low = sizeDeciles[decile]
    return low + generator.below(sizeDeciles[decile + 1] - low)
  }

  /// Paragraphs of about `bytes` bytes in all.
  static func paragraphs(
    about bytes: Int, from generator: inout SeededGenerator
  ) -> [Paragraph] {
    var chosen: [Paragraph] = []
    var rest = bytes
    while rest > 0 {
      let next = rest < 1_500 ? sentence : paragraphs[generator.below(paragraphs.count)]
      chosen.append(next)
      rest -= next.markdown.count + next.html.count
    }
    return chosen
  }
}
