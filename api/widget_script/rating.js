// The question under an answer that the visitor has read: was it helpful?

/** `rate(score)`: 1 to 5. It is asked once for each answer. */
function openRating(words, rate) {
  const scores = words.scores.map((meaning, place) => node(
    "button",
    { type: "button", "aria-label": `${place + 1}, ${meaning}`, title: meaning,
      onclick: () => rate(place + 1) },
    String(place + 1),
  ));
  const question = node(
    "fieldset", { hidden: true }, node("legend", {}, words.rate), ...scores,
  );
  const said = node("p", { class: "state", role: "status", tabindex: "-1" });
  const part = node("div", { class: "rating" }, question, said);

  /** Whether it is asked now. What was said of the answer before goes with a new question. */
  function ask(wanted) {
    if (wanted && question.hidden) said.textContent = "";
    question.hidden = !wanted;
  }

  /** What became of it; the focus stays where the buttons were. */
  function tell(text) {
    const inside = part.getRootNode().activeElement;
    said.textContent = text;
    if (scores.includes(inside)) said.focus({ preventScroll: true });
  }

  return { part, ask, tell };
}
