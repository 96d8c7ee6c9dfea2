
// Words: every text of the page, by name, in English and Japanese. `{}` stands for what is given, in
// turn, and `{s}` for a plural of what was given last.

const words = Object.fromEntries(`
action|Action|操作
again|Try again|もう一度
againIn|again in {} s|{} 秒後に再試行できます
allFields|all fields|すべての項目
api|API|API
apiWhat|What this server answers, by its own document:|このサーバーの API。定義:
apply|Apply|適用
asking|asking page {} by {} ({})|問い合わせ中: {} ページ × {} 件 ({})
asksForName|Each feed asks for a name.|名前を指定して開くフィードです。
aSlice|A slice|一部を読む
away|no answer|応答なし
budgetOf|Calls that {} still allows|{} の残り呼び出し回数
by_count|counting|件数
by_none|nothing: items may be missing|なし（抜けの可能性）
by_sight|answers that overlap|重なる応答
by_upstream|the upstream’s word|上流の申告
by_value|the order of the items|項目の順序
by_whole|one whole answer|一回の全件応答
calling|upstream call now|呼び出し中
callsFree|{} upstream call{s} left|上流の呼び出し残り {} 回
callsLeft|{} of {} upstream calls left|上流の呼び出し残り {} / {} 回
caseNever|Never: one above was deleted, and this one moved up into a page already read|抜け: 上の記事が消え、読み終えたページへ移った記事
caseTwice|Twice: one came in above while page {} was asked for|重複: {} ページ目を読む間に上に記事が増えた
checked|Last checked|最終確認
close|Close|閉じる
code|Code|コード
connections|connections|接続
copied|Copied|コピーしました
copy|Copy|コピー
copyAs|Copy as…|コードを取得…
copyTitle|Copy this request|このリクエストのコード
cost|Filling costs about {} of the {} calls that are left.|残り {1} 回のうち約 {0} 回の呼び出しを使います。
cut|page {} ends, page {} begins|{} ページの終わりと {} ページの始まり
dark|Dark|ダーク
delete|deleted upstream|上流で削除
doubles|twice|重複
downTo|Known down to|古い端
end|the end|終わり
end_end|The end: nothing follows.|終わり: この先はありません。
end_range|The end of the asked range.|指定した範囲の終わりです。
end_upstreamLimit|The upstream shows no more than this.|上流が見せるのはここまでです。
expired|upstream away|上流に届かない
failed|last call failed: {}, {}|直近の呼び出しに失敗: {} ({})
feed|Feed|フィード
feedsOf|feeds of {}|フィード / {}
feedsOnly|Only feeds are shown: server.explorer is not all.|server.explorer が all でないため、フィードだけを表示します。
fields|Fields|項目
fill|Fill|埋める
filling|Filling…|埋めています…
firstRow|first row|先頭の行
fresh|up to date|最新
gap|Gap|未取得
gapHere|About {} unknown item{s}|未取得の約 {} 件
gaps|{} gap{s}|未取得 {} か所
gapSunk|About {} items that the upstream shows no more|上流がもう見せない約 {} 件
home|Home|ホーム
homeSources|What this server serves|このサーバーのフィード
homeTitle|Tsugi serves a paged API as one list without a seam|Tsugi はページ分割された API を継ぎ目のない一つの一覧にします
homeWhy|Read by page numbers, a list that moves shows some items twice and others never. Here each comes exactly once, and the upstream is asked once for all readers.|動く一覧をページ番号で読むと、重複や抜けが起きます。ここでは各項目がちょうど一度だけ届き、上流への問い合わせは全員で一度です。
items|Items|件数
itemsOf|{} item{s}|{} 件
joined|Joined by|連続の根拠
json|JSON of a row|行の JSON
jump|Jump to|日付へ
key|Key|キー
keyAsked|This server asks for an API key|API キーが必要です
keyNote|It stays in this tab, and goes to this server only.|このタブだけに保存し、このサーバーだけに送ります。
keys|Keys|キー操作
keyWrong|That key does not open this server|このキーでは開けません
known|{} of {} items known|{} / {} 件を把握
knownSome|{} item{s} known|{} 件を把握
language|Language|言語
left|Left|残り
light|Light|ライト
likes|{} likes|いいね {} 件
limit|Limit|件数
listening|listening|受信中
loading|Loading…|読み込み中…
lookAtTop|Look at the top|先頭を確認
lost|never|抜け
lostSince|No answer since {}. What is shown stays, and goes on by itself.|{} から応答がありません。表示はそのまま残り、自動で再開します。
map|Map|マップ
mapWhat|What the server knows of this feed, from its newest item on the left to the last that the upstream shows.|左の最新の項目から、上流が見せる最後の項目まで。
megabytesOf|MB stored of {}|MB 保存 / {}
missing|Missing|欠け
moreFeeds|{} more feed{s}|ほか {} 種類
moreOf|{} has more|{} にはほかにもあります
naive|Pages by number|ページ番号で
naiveHow|page=1, page=2, page=3 … straight from the upstream.|page=1, 2, 3 … 上流から直接。
naiveSum|{} upstream call{s}, and as many for each further reader|上流の呼び出し {} 回。読む人ごとに同じ回数
new|{} new|新着 {} 件
nextRow|next row|次の行
nothingRead|Nothing was read yet.|まだ読まれていません。
noTitle|(no title)|（無題）
notReady|not ready|準備中
oldest|Oldest check|最も古い確認
oneItem|one item|1 件
open|Open|開く
options|Options|表示設定
otherLanguage|日本語|English
outcome|Outcome|結果
outOfList|out of the list|一覧の外へ
pages|Pages|ページ数
pagesOf|{} pages of {}|{} ページ × {} 件
part|Part|パート
path|Path|パス
previousRow|previous row|前の行
purpose|Why|目的
ranks|Places|順位
read|Read|読む
readAgain|Read it again|もう一度読む
readToEnd|Read, to the end|最後まで読む
ready|ready|稼働中
refresh|Refresh|更新
remove|left this list|一覧から外れた
reply|Reply|応答
revision|Revision|版
rows|delivered|到着
run|Run|連続
runs|{} run{s}|連続 {} 区間
runsAndGaps|Runs and gaps|連続と未取得
seam|{} more · checked {}|続き {} 件 · 確認 {}
seamAbove|{} above · checked {}|上に {} 件 · 確認 {}
search|Search|検索
seeWhy|See why|違いを見る
server|Server|サーバー
shown|Shown|表示
skip|Skip it|飛ばす
skipped|Skipped here. Items between these rows are not shown.|飛ばしました。この間の項目は表示していません。
skipToContent|Skip to content|本文へ
stale|may have changed|変わった可能性
started|started, version {}|起動 · 版 {}
state|State|状態
storedFeeds|Stored feeds, the last read first|保存したフィード（新しく読まれた順）
thisFeed|This feed|このフィード
took|Took|時間
toTop|Begin at the top|先頭から読む
tryIt|Try it|試す
tsugi|The same through Tsugi|Tsugi で
tsugiHow|next, next, next … from the same upstream, at the same time.|next, next, next … 同じ上流を同時に。
tsugiSum|{} upstream call{s}; the next reader costs none|上流の呼び出し {} 回。次の人は 0 回
unknown|This server has no such view or feed:|この画面やフィードはありません:
unread|not read yet|未読
upstreamCalls|Upstream calls|上流の呼び出し
upTo|Looked at up to|新しい端
useKey|Use it|使う
waiting|waiting…|応答待ち…
walk|Walk from the top|先頭から読む
wall|the wall|上限
wasRead|Read|読まれた
what|What|種類
whatChanges|What changes|変化を受け取る
when|When|時刻
wholeAt|whole again at {} UTC|{} UTC に回復
wholeFeed|The whole feed, each item once|全件を一度ずつ
why|Why|なぜ
whyTitle|Why this exists|なぜ必要か
whyWhat|The built-in upstream moves while it is read. Each cell is one article, in the order in which it came.|内蔵の上流は読む間にも動きます。升目は一つの記事で、届いた順です。
window|Window|範囲
`.trim().split('\n').map((line) => line.split('|')).map(([name, ...texts]) => [name, texts]));

const chosenLanguage = kept('localStorage', 'tsugi.language');
const language = () =>
  chosenLanguage.value || (navigator.language.startsWith('ja') ? 'ja' : 'en');

function t(name, ...given) {
  let place = 0;
  return words[name][language() === 'ja' ? 1 : 0].replace(/{(\w?)}/g, (_, mark) => {
    if (mark === 's') return given[place - 1] === 1 ? '' : 's';
    const value = given[mark || place++];
    return typeof value === 'string' ? value : count(value);
  });
}

// A number for people; a dash where there is none.
const count = (n) => n === null || n === undefined ? '–' : Number(n).toLocaleString('en-US');

// How long ago a time was: `5s ago`, `3 min. ago`.
function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  const [unit, size] = seconds < 60 ? ['second', 1] : seconds < 3600 ? ['minute', 60]
    : seconds < 86400 ? ['hour', 3600] : ['day', 86400];
  return time ? relative(language()).format(-Math.round(seconds / size), unit) : '–';
}

const relatives = {};
const relative = (name) =>
  relatives[name] ??= new Intl.RelativeTimeFormat(name, { style: 'narrow' });
