// The form that asks for an address, and then for the code that was mailed to it.

/** `on`: sendCode(email), confirm(code), otherAddress(), withoutAddress(). */
function openVerify(words, on) {
  const form = node("form", { class: "verify", hidden: true });
  const wrong = node("p", { class: "wrong", role: "alert", hidden: true });
  let step = null;
  let field = null;

  function line(text, attributes) {
    field = node("input", { required: true, ...attributes });
    return node("label", {}, text, field);
  }

  function button(kind, text, onclick) {
    const type = onclick ? "button" : "submit";
    return node("button", { class: kind, type, ...(onclick && { onclick }) }, text);
  }

  function askAddress(email) {
    const given = { type: "email", autocomplete: "email", maxlength: "254", value: email || null };
    form.replaceChildren(
      node("p", {}, words.ask),
      line(words.email, given),
      wrong,
      node("div", {}, button("main", words.sendCode),
        button("plain", words.without, on.withoutAddress)),
    );
  }

  function askCode(email) {
    const given = { inputmode: "numeric", autocomplete: "one-time-code", maxlength: "12" };
    form.replaceChildren(
      node("p", {}, filled(words.enter, { email })),
      line(words.code, given),
      wrong,
      node("div", {}, button("main", words.confirm),
        button("plain", words.other, on.otherAddress),
        button("plain", words.without, on.withoutAddress)),
    );
  }

  /** `asked`: the address that has a code. `guess`: one that the page named. */
  function show(asked, guess) {
    const wanted = asked ? `code ${asked}` : "address";
    if (step === wanted) return;
    step = wanted;
    setWrong("");
    if (asked) askCode(asked);
    else askAddress(guess);
    form.hidden = false;
  }

  function hide() {
    step = null;
    form.hidden = true;
    form.replaceChildren();
  }

  function setWrong(text) {
    wrong.textContent = text;
    wrong.hidden = !text;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = field.value.trim();
    if (!given) return;
    const buttons = [...form.querySelectorAll("button")];
    buttons.forEach((one) => (one.disabled = true));
    setWrong("");
    await (step === "address" ? on.sendCode(given) : on.confirm(given));
    buttons.forEach((one) => (one.disabled = false));
  });

  return { form, show, hide, setWrong, focus: () => field.focus() };
}
