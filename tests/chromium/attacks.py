"""Ways in which a page may try to reach the machine it is rendered on. Each is a page; `C` is what it must not reach."""

from itertools import batched

SPELLINGS = (
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
    "localhost", "localhost.", "any.localhost", "[::ffff:7f00:1]", "①②⑦.⓪.⓪.①", "inward.example", "mixed.example",
    "turning.example",
)  # fmt: skip


def body(text):
    return f"<!doctype html><html><body>{text}</body></html>"


def script(text):
    return f"<script>{{{text}}}</script>"


MARKUP = {
    "img": "<img src='C/'>",
    "srcset": "<img srcset='C/ 2x' src=''>",
    "picture": "<picture><source srcset='C/'><img></picture>",
    "script": "<script src='C/'></script>",
    "module": "<script type=module src='C/'></script>",
    "import-map": "<script type=importmap>{\"imports\":{\"x\":\"C/\"}}</script><script type=module>import 'x'</script>",
    "stylesheet": "<link rel=stylesheet href='C/'>",
    "css-import": "<style>@import url('C/');</style>",
    "css-background": "<div style=\"height:9px;background:url('C/')\"></div>",
    "css-font": "<style>@font-face{font-family:x;src:url('C/')}p{font-family:x}</style><p>text</p>",
    "css-cursor-mask": "<div style=\"height:9px;mask-image:url('C/')\">x</div>",
    "css-list": "<ul style=\"list-style-image:url('C/')\"><li>x</ul>",
    "css-content": "<style>p::before{content:url('C/')}</style><p>x</p>",
    "css-shape": "<div style=\"float:left;width:9px;height:9px;shape-outside:url('C/')\"></div>",
    "iframe": "<iframe src='C/'></iframe>",
    "iframe-srcdoc": "<iframe srcdoc=\"<img src='C/'>\"></iframe>",
    "iframe-data": "<iframe src=\"data:text/html,<img src='C/'>\"></iframe>",
    "iframe-javascript": "<iframe src=\"javascript:'<img src=C/>'\"></iframe>",
    "iframe-sandbox": "<iframe sandbox='allow-scripts' src=\"data:text/html,<script>fetch('C/',{mode:'no-cors'})</script>\"></iframe>",
    "object": "<object data='C/'></object>",
    "embed": "<embed src='C/'>",
    "video": "<video src='C/' autoplay muted></video>",
    "poster": "<video poster='C/'></video>",
    "audio": "<audio src='C/' preload=auto></audio>",
    "track": "<video controls><track default src='C/'><source src='C/'></video>",
    "input-image": "<input type=image src='C/'>",
    "background": "<table background='C/'><td>x</table>",
    "svg-image": "<svg><image href='C/' width=9 height=9 /></svg>",
    "svg-filter": "<svg><filter id=f><feImage href='C/'/></filter><rect width=9 height=9 filter='url(#f)'/></svg>",
    "prefetch": "<link rel=prefetch href='C/'>",
    "preload": "<link rel=preload as=image href='C/'>",
    "modulepreload": "<link rel=modulepreload href='C/'>",
    "preconnect": "<link rel=preconnect href='C/'><link rel=dns-prefetch href='C/'>",
    "prerender": "<link rel=prerender href='C/'>",
    "speculation-prefetch": "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"C/\"],\"eagerness\":\"immediate\"}]}</script>",
    "speculation-prerender": "<script type=speculationrules>{\"prerender\":[{\"source\":\"list\",\"urls\":[\"C/\"],\"eagerness\":\"immediate\"}]}</script>",
    "icon": "<link rel=icon href='C/'><link rel='shortcut icon' href='C/'><link rel=apple-touch-icon href='C/'>",
    "manifest": "<link rel=manifest href='C/'>",
    "form-frame": "<iframe name=f></iframe><form id=g target=f action='C/'></form><script>g.submit()</script>",
    "form-post-frame": "<iframe name=e></iframe><form id=h target=e method=post action='C/'><input name=a value=b></form><script>h.submit()</script>",
    "ping": "<a id=a href='#' ping='C/'>x</a><script>a.click()</script>",
    "refresh-frame": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=C/'>\"></iframe>",
    "hop-img": "<img src='/hop'>",
    "hop-frame": "<iframe src='/hop'></iframe>",
    "hop-script": "<script src='/hop'></script>",
    "hop-style": "<link rel=stylesheet href='/hop'>",
    "hop-video": "<video src='/hop' autoplay muted></video>",
    "base": "<base href='C/'><img src='x.png'>",
    "fencedframe": "<fencedframe></fencedframe><script>try{document.querySelector('fencedframe').config=new FencedFrameConfig('C/')}catch{}</script><img src='C/'>",
}  # fmt: skip

SCRIPTS = {
    "fetch": "fetch('C/')",
    "fetch-opaque": "fetch('C/',{mode:'no-cors'})",
    "fetch-post": "fetch('C/',{method:'POST',body:'x',mode:'no-cors'})",
    "fetch-put": "fetch('C/',{method:'PUT',body:'x'})",
    "fetch-keepalive": "fetch('C/',{keepalive:true,mode:'no-cors'})",
    "fetch-private": "fetch('C/',{targetAddressSpace:'loopback',mode:'no-cors'})",
    "fetch-hop": "fetch('/hop',{mode:'no-cors'})",
    "fetch-hop-post": "fetch('/hop307',{method:'POST',body:'x',mode:'no-cors'})",
    "xhr": "const x=new XMLHttpRequest();x.open('GET','C/');x.send()",
    "xhr-sync": "const x=new XMLHttpRequest();x.open('GET','C/',false);try{x.send()}catch{}",
    "beacon": "navigator.sendBeacon('C/','x')",
    "image-object": "new Image().src='C/'",
    "websocket": "new WebSocket('W/')",
    "websocket-secure": "new WebSocket('W/'.replace('ws:','wss:'))",
    "websocket-stream": "try{new WebSocketStream('W/')}catch{new WebSocket('W/')}",
    "eventsource": "new EventSource('C/')",
    "import": "import('C/')",
    "worker": "new Worker(URL.createObjectURL(new Blob([\"fetch('C/',{mode:'no-cors'})\"])))",
    "worker-import": "new Worker(URL.createObjectURL(new Blob([\"importScripts('C/')\"])))",
    "worker-socket": "new Worker(URL.createObjectURL(new Blob([\"new WebSocket('W/')\"])))",
    "worker-module": "new Worker(URL.createObjectURL(new Blob([\"import 'C/'\"],{type:'text/javascript'})),{type:'module'})",
    "worker-nested": "new Worker(URL.createObjectURL(new Blob([\"new Worker(URL.createObjectURL(new Blob(['fetch(`C/`,{mode:`no-cors`})'])))\"])))",
    "shared-worker": "new SharedWorker('/shared.js')",
    "service-worker": "navigator.serviceWorker.register('/service.js').then(()=>navigator.serviceWorker.ready).then(r=>r.active.postMessage('C/'))",
    "cache-add": "caches.open('x').then(c=>c.add('C/'))",
    "audio-worklet": "new OfflineAudioContext(1,1,8000).audioWorklet.addModule('C/')",
    "paint-worklet": "CSS.paintWorklet.addModule('C/')",
    "blob-frame": "const f=document.createElement('iframe');f.src=URL.createObjectURL(new Blob([\"<img src='C/'>\"],{type:'text/html'}));document.body.append(f)",
    "blank-frame": "const f=document.createElement('iframe');document.body.append(f);f.contentWindow.fetch('C/',{mode:'no-cors'})",
    "popup": "window.open('C/')",
    "popup-blank": "const w=window.open('about:blank');if(w)w.location='C/';else new Image().src='C/'",
    "link-click": "const a=document.createElement('a');a.href='C/';a.target='_blank';document.body.append(a);a.click()",
    "link-download": "const a=document.createElement('a');a.href='C/';a.download='x';document.body.append(a);a.click()",
    "write-later": "setTimeout(()=>document.write(\"<img src='C/'>\"),30)",
    "xslt": "const p=new DOMParser().parseFromString('<x/>','text/xml');const x=new XMLHttpRequest();x.open('GET','C/');x.send();void p",
    "font-face": "new FontFace('x','url(C/)').load()",
    "payment": "try{new PaymentRequest([{supportedMethods:'C/'.replace('http:','https:')}],{total:{label:'x',amount:{currency:'EUR',value:'1'}}}).canMakePayment()}catch{}",
    "background-fetch": "navigator.serviceWorker.register('/service.js').then(()=>navigator.serviceWorker.ready).then(r=>r.backgroundFetch.fetch('x',['C/']))",
    "transport": "try{new WebTransport('C/'.replace('http:','https:'))}catch{}",
    "credential": "try{navigator.credentials.get({identity:{providers:[{configURL:'C/'.replace('http:','https:'),clientId:'x'}]}})}catch{}",
    "rtc-stun": "const p=new RTCPeerConnection({iceServers:[{urls:'stun:H'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    "rtc-turn": "const p=new RTCPeerConnection({iceServers:[{urls:'turn:H',username:'a',credential:'b'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    "rtc-turn-tcp": "const p=new RTCPeerConnection({iceServers:[{urls:'turn:H?transport=tcp',username:'a',credential:'b'}],iceTransportPolicy:'relay'});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    "rtc-turns": "const p=new RTCPeerConnection({iceServers:[{urls:'turns:H?transport=tcp',username:'a',credential:'b'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    "rtc-candidate": "const p=new RTCPeerConnection(),q=new RTCPeerConnection();p.createDataChannel('x');p.createOffer().then(async o=>{await p.setLocalDescription(o);await q.setRemoteDescription(o);const a=await q.createAnswer();await q.setLocalDescription(a);await p.setRemoteDescription(a);await p.addIceCandidate({candidate:'candidate:1 1 udp 2122260223 127.0.0.1 PORT typ host',sdpMid:'0'});await p.addIceCandidate({candidate:'candidate:2 1 tcp 2122260222 127.0.0.1 PORT typ host tcptype passive',sdpMid:'0'})})",
}  # fmt: skip

HEADERS = {  # of a page that says nothing else
    "header-preload": {"link": "<C/>; rel=preload; as=image"},
    "header-stylesheet": {"link": "<C/>; rel=stylesheet"},
    "header-preconnect": {"link": "<C/>; rel=preconnect"},
    "header-prefetch": {"link": "<C/>; rel=prefetch"},
    "header-policy-report": {"content_security_policy": "img-src 'none'; report-uri C/"},
    "header-report-to": {
        "report_to": '{"group":"g","max_age":99,"endpoints":[{"url":"C/"}]}',
        "nel": '{"report_to":"g","max_age":99,"success_fraction":1}',
        "content_security_policy": "img-src 'none'; report-to g",
    },
    "header-reporting-endpoints": {
        "reporting_endpoints": 'g="C/"',
        "content_security_policy": "img-src 'none'; report-to g",
    },
    "header-speculation": {"speculation_rules": '"C/rules"'},
    "header-source-map": {"sourcemap": "C/"},
}
TOPS = {  # where the document itself leads
    "top-location": script("location='C/'"),
    "top-replace": script("setTimeout(()=>location.replace('C/'),20)"),
    "top-refresh": "<meta http-equiv=refresh content='0;url=C/'>",
    "top-form": "<form id=g method=post action='C/'></form><script>g.submit()</script>",
    "top-history": script("history.pushState(0,'','/x');location.assign('C/')"),
}


ALONE = {  # attacks that change their page, or leave it
    "base", "icon", "manifest", "import-map", "speculation-prefetch", "speculation-prerender", "write-later", "popup",
    "popup-blank", "link-click", "link-download",
}  # fmt: skip
TOGETHER = 10  # attacks on a page: starting a page takes longer than what most of them do


def pages():
    """`(attacks, headers)` of all pages but those with other spellings; `attacks` maps each name to its HTML."""
    parts = MARKUP | {name: script(text) for name, text in SCRIPTS.items()}
    for name in sorted(ALONE):
        yield {name: parts.pop(name)}, {}
    for together in batched(parts.items(), TOGETHER, strict=False):
        yield dict(together), {}
    for name, headers in HEADERS.items():
        yield {name: "<img src='/none.png'>"}, headers
    for name, text in TOPS.items():
        yield {name: text}, {}
