"use strict";
// Without this script the page shows everything.
const search = document.getElementById("search");
const choices = document.querySelectorAll("input[name=show]");
function choose() {
  const show = document.querySelector("input[name=show]:checked").value;
  const words = search.value.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll("section.group")) {
    let any = false;
    for (const spec of section.querySelectorAll("article")) {
      const text = (section.dataset.name + " " + spec.dataset.text).toLowerCase();
      spec.hidden = (show !== "all" && !spec.classList.contains(show)) || !words.every(w => text.includes(w));
      any = any || !spec.hidden;
    }
    section.hidden = !any;
  }
}
if (search) {
  search.addEventListener("input", choose);
  choices.forEach(c => c.addEventListener("change", choose));
  choose();
}
