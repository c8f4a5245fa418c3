// The form that asks for an email address, and then for the code that was emailed to the address.

/** `on`: the callbacks sendCode(email), confirm(code), otherAddress() and withoutAddress(). */
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

  /** `asked`: the address to which a code was emailed. `guess`: the address given by the page. */
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
