// The question below an answer that the visitor has read: was the answer helpful?

/** Open the rating question. `rate(score)`: called with a score from 1 to 5, once per answer. */
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

  /** Show or hide the question. A new question clears the message about the previous rating. */
  function ask(wanted) {
    if (wanted && question.hidden) said.textContent = "";
    question.hidden = !wanted;
  }

  /** Show the result of the rating. If a button had the focus, move the focus to this message. */
  function tell(text) {
    const inside = part.getRootNode().activeElement;
    said.textContent = text;
    if (scores.includes(inside)) said.focus({ preventScroll: true });
  }

  return { part, ask, tell };
}
