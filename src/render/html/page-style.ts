// How a page looks: on a screen by day and by night, on a telephone, and on paper.

export const pageStyle = `
:root{--ground:#fff;--raised:#f6f8fa;--line:#d0d7de;--text:#1f2328;--faint:#59636e;--link:#0550ae;--good:#116329;--good-ground:#dafbe1;--bad:#a40e26;--bad-ground:#ffebe9;--warn:#7d4e00;--warn-ground:#fff8c5}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--raised:#161b22;--line:#3d444d;--text:#e6edf3;--faint:#9198a1;--link:#79b8ff;--good:#56d364;--good-ground:#12261e;--bad:#ff938a;--bad-ground:#2d1619;--warn:#e3b341;--warn-ground:#272115}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1rem clamp(.75rem,3vw,2rem) 4rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.15rem;margin:2rem 0 .5rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3,h4{font-size:1rem;margin:1.25rem 0 .5rem}
h1,h2,h3,h4,p,li,td,summary,pre{overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--raised);border-radius:6px;padding:.5rem .75rem}pre code{background:none;padding:0}
a{color:var(--link)}
code,pre,.d{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
code{background:var(--raised);border-radius:4px;padding:.1em .3em}
table{border-collapse:collapse;margin:.5rem 0}
thead td{min-width:6.5rem}
.wide{overflow-x:auto}
th,td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}
@media (max-width:30rem){table{font-size:.8rem}th,td{padding:.2rem .25rem}}
blockquote{margin:.5rem 0;padding:.25rem 1rem;border-left:4px solid var(--warn);background:var(--warn-ground)}
.sum{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:1rem 0;padding:0}
.sum li{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.35rem .75rem}
.sum b{font-size:1.2rem}
.sum .del b,.sum .bad b{color:var(--bad)}.sum .add b{color:var(--good)}.sum .mod b{color:var(--warn)}
form{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:end;position:sticky;top:0;z-index:1;margin:1rem 0;padding:.6rem .75rem;background:var(--raised);border:1px solid var(--line);border-radius:6px}
form label{display:flex;flex-direction:column;font-size:.85rem;color:var(--faint)}
form label.box{flex-direction:row;align-items:center;gap:.4rem;color:var(--text);padding-bottom:.35rem}
input,select,button{font:inherit;color:var(--text);background:var(--ground);border:1px solid var(--line);border-radius:5px;padding:.3rem .5rem}
input[type=search]{min-width:12rem}
output{align-self:center;color:var(--faint)}
:focus-visible{outline:3px solid var(--link);outline-offset:1px}
article,section>details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0}
article{content-visibility:auto;contain-intrinsic-size:auto 2.4rem}
summary{cursor:pointer;padding:.35rem .75rem}
article summary .m{display:inline-block;min-width:4.5rem;font-weight:600}
.create .m{color:var(--good)}.update .m{color:var(--warn)}.delete .m{color:var(--bad)}
.place,.note,.effects{color:var(--faint)}
.d{margin:0;padding:.25rem .75rem .6rem}
.d h4{margin:.4rem 0 .1rem;font-size:1em}
.d p{margin:.15rem 0}
.d ins,.d del,.d span{display:block;text-decoration:none;white-space:pre-wrap;padding:0 .4rem}
ins{background:var(--good-ground);color:var(--good)}ins::before{content:"+ "}
del{background:var(--bad-ground);color:var(--bad)}del::before{content:"\\2212\\00a0"}
.scroll{overflow:auto;max-height:40rem;border:1px solid var(--line);border-radius:6px}
svg{display:block}
svg text{font:12px system-ui,sans-serif;fill:var(--text)}
svg .box{fill:var(--raised);stroke:var(--line)}svg .go{fill:none;stroke:var(--faint)}svg .tip{fill:var(--faint)}
svg .done{fill:var(--good)}svg .failed{fill:var(--bad)}svg .other{fill:var(--faint)}
footer{margin-top:2rem;color:var(--faint);font-size:.9rem}
[hidden]{display:none!important}
@media print{form,.scroll svg{display:none}article{content-visibility:visible;break-inside:avoid}details::details-content{content-visibility:visible!important;display:block}main{max-width:none;padding:0}.scroll{overflow:visible;max-height:none;border:0}.wide{overflow:visible}}
`
