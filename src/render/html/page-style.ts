// How a page looks: on a screen by day and by night, on a telephone, and on paper.

export const pageStyle = `
:root{--ground:#fff;--raised:#f6f8fa;--line:#d0d7de;--text:#1f2328;--faint:#59636e;--link:#0550ae;--good:#116329;--good-ground:#dafbe1;--bad:#a40e26;--bad-ground:#ffebe9;--warn:#7d4e00;--warn-ground:#fff8c5}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--raised:#161b22;--line:#3d444d;--text:#e6edf3;--faint:#9198a1;--link:#79b8ff;--good:#56d364;--good-ground:#12261e;--bad:#ff938a;--bad-ground:#2d1619;--warn:#e3b341;--warn-ground:#272115}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{width:100%;max-width:76rem;min-width:0;margin:0 auto;padding:1rem clamp(.75rem,3vw,2rem) 4rem}
nav{padding:.5rem clamp(.75rem,3vw,2rem)}nav ol{margin:.25rem 0;padding-left:1.25rem}
@media (min-width:1100px){body:has(nav){display:grid;grid-template-columns:15rem minmax(0,1fr)}nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1.5rem 0 1rem 1rem;font-size:.9rem}nav summary{color:var(--faint)}}
@media (max-width:1099px){nav{position:sticky;top:0;z-index:2;background:var(--ground);border-bottom:1px solid var(--line)}form{top:3.2rem}}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.15rem;margin:2rem 0 .5rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3,h4{font-size:1rem;margin:1.25rem 0 .5rem}
h1,h2,h3,h4,p,li,td,summary,pre{overflow-wrap:anywhere}
section{scroll-margin-top:6rem}article{scroll-margin-top:6rem}
pre{white-space:pre-wrap;background:var(--raised);border-radius:6px;padding:.5rem .75rem}
a{color:var(--link)}
code,pre,.d{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
code{background:var(--raised);border-radius:4px;padding:.1em .3em}
table{border-collapse:collapse;margin:.5rem 0;width:100%}
.wide{overflow-x:auto}.wide th{min-width:8.5rem}.wide td{overflow-wrap:break-word}
th,td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}
th button{border:0;padding:0;background:none;font-weight:600;cursor:pointer}th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
@media (max-width:30rem){h1{font-size:1.15rem}.about{display:none}table{font-size:.8rem}th,td{padding:.2rem .25rem}.wide :is(table,tbody,td){display:block}.wide thead tr{display:flex;gap:.9rem}.wide th{border:0;min-width:0}.wide tbody tr{display:grid;grid-template-columns:1.4rem minmax(0,1fr);border:1px solid var(--line);margin:-1px 0 0;padding:.25rem 0}.wide td{border:0;grid-column:2;padding:.05rem .25rem}.wide td:first-child{grid-area:1/1}}
.points{list-style:none;margin:.75rem 0;padding:.5rem .75rem;border-left:4px solid var(--line);background:var(--raised)}
.add{color:var(--good)}.remove,.error{color:var(--bad)}.change,.warning{color:var(--warn)}.good{color:var(--good)}.faint{color:var(--faint)}.strong{font-weight:600}
article.add,article.remove,article.change,article.warning,article.error,article.faint,tr.add,tr.remove,tr.change,tr.warning,tr.error,tr.faint{color:inherit}
.m{display:inline-block;min-width:1.1em;font-weight:700;text-align:center}
.add>.m,.add>td>.m,.add>p>.m,.add>details>summary>.m{color:var(--good)}.remove>td>.m,.remove>p>.m,.remove>details>summary>.m,.error>td>.m,.error>p>.m,.error>details>summary>.m{color:var(--bad)}
form{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center;position:sticky;top:0;z-index:1;margin:1rem 0;padding:.5rem .75rem;background:var(--raised);border:1px solid var(--line);border-radius:6px}
form label{display:flex;gap:.4rem;align-items:center;font-size:.85rem;color:var(--faint)}
.chips{display:flex;gap:.35rem;overflow-x:auto;max-width:100%}
.chips button{white-space:nowrap;border-radius:1rem;padding:.15rem .6rem;font-size:.85rem;cursor:pointer}
.chips [aria-pressed=true]{background:var(--link);color:var(--ground);border-color:var(--link)}
input,button{font:inherit;color:var(--text);background:var(--ground);border:1px solid var(--line);border-radius:5px;padding:.25rem .5rem}
input[type=search]{width:14rem;max-width:60vw}
.more{margin:.25rem 0;cursor:pointer}
output{color:var(--faint);font-size:.85rem}
:focus-visible{outline:3px solid var(--link);outline-offset:1px}
article,section>details,.fold{border:1px solid var(--line);border-radius:6px;margin:.3rem 0}
article{content-visibility:auto;contain-intrinsic-size:auto 2.4rem}
article>p{margin:.35rem .75rem}
summary{cursor:pointer;padding:.35rem .75rem}
.fold>*:not(summary),section>details>*:not(summary){margin-left:.75rem;margin-right:.75rem}
.names summary{padding:0}.place{color:var(--faint);font-size:.87em}
.d{margin:0;padding:.25rem .75rem .6rem}
.d b,.d i{display:block;margin:.4rem 0 .1rem}.d i{font-style:normal;color:var(--faint)}
.d p{margin:.15rem 0}
.d ins,.d del,.d>span{display:block;text-decoration:none;white-space:pre-wrap;padding:0 .4rem}
ins{background:var(--good-ground);color:var(--good)}ins::before{content:"+ "}
del{background:var(--bad-ground);color:var(--bad)}del::before{content:"\\2212\\00a0"}
ins small,del small{color:var(--text)}
.scroll{overflow:auto;max-height:40rem;border:1px solid var(--line);border-radius:6px}
svg{display:block}
svg text{font:12px system-ui,sans-serif;fill:var(--text)}
svg .box{fill:var(--raised);stroke:var(--line)}svg .go{fill:none;stroke:var(--faint)}svg .tip{fill:var(--faint)}
svg .done{fill:var(--good)}svg .failed{fill:var(--bad)}svg .other{fill:var(--faint)}
footer{margin-top:2rem;color:var(--faint);font-size:.9rem}
[hidden]{display:none!important}
@media print{form,nav,.more,.scroll svg{display:none}body:has(nav){display:block}article{content-visibility:visible;break-inside:avoid}details::details-content{content-visibility:visible!important;display:block}main{max-width:none;padding:0}.scroll{overflow:visible;max-height:none;border:0}.wide{overflow:visible}body{font-size:9.5pt;line-height:1.3}article,section>details,.fold{margin:0;border-width:0 0 1px;border-radius:0}summary{list-style:none;padding:.15rem .25rem}.d{padding:0 .25rem .2rem}.d b,.d i{margin:0}th,td{padding:.1rem .3rem}}
`
