// SPDX-License-Identifier: BSD-3-Clause
// A page that a browser opens as a file may neither fetch the search index nor start a worker. There the index comes as
// a script, and a frame runs the worker's script.
if (location.protocol === "file:") {
  const source = new URL("search/search_index.js", document.currentScript.src);
  window.__search = {
    index: new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = source;
      script.onload = () => resolve(window.foretile_search_index);
      document.head.append(script);
    }),
  };
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inner = this.frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inner.document.createElement("script");
      script.src = new URL(url, location);
      this.ready = new Promise((resolve) => (script.onload = resolve));
      this.inner.document.body.append(script);
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
