// Opened from a file, a page may not fetch others: their texts, of which the search shows excerpts, are a script then.
if (location.protocol === "file:") {
  const texts = new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "_static/texts.js";
    script.onload = () => resolve(window.dpvizTexts);
    script.onerror = () => resolve({});
    document.head.append(script);
  });
  const root = new URL(document.documentElement.dataset.content_root, location);
  window.fetch = async (address) => {
    const page = decodeURI(new URL(address, location).href.slice(root.href.length)).split("#")[0];
    return { text: async () => (await texts)[page] ?? "" };
  };
}
