/** Iteration over lists with pages. */

interface Page {
  next_cursor: string | null;
}

/** The records in a page: the elements of its first list. */
type RecordOf<P> = {
  [Name in keyof P]-?: P[Name] extends readonly (infer Item)[] ? Item : never;
}[keyof P];

/** Yield all pages: `pages((cursor) => engine.runs.list({ query: { cursor } }))`. */
export async function* pages<P extends Page>(
  list: (cursor?: string) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Yield all records of all pages: `each((cursor) => engine.runs.list({ query: { cursor } }))`. */
export async function* each<P extends Page>(
  list: (cursor?: string) => Promise<P>,
): AsyncGenerator<RecordOf<P>> {
  for await (const page of pages(list)) {
    yield* (Object.values(page).find(Array.isArray) ?? []) as RecordOf<P>[];
  }
}
