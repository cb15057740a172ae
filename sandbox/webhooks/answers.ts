import type { IdSource } from '../store/ids.ts';
import type { Target } from './target.ts';

/** What came back from a webhook: its body as JSON, or why there is none. */
export type Answer = { body: unknown } | { fault: string };

/** Calls a webhook with the body of a review. One in the same process may answer at once. */
export type WebhookClient = (target: Target, review: object) => Answer | Promise<Answer>;

/** A call that is to be made once for a write, whatever the number of its attempts. */
export interface Call {
  key: string;
  /** The uid of its review, which may differ between attempts at one write. */
  uid: string;
  make: () => Answer | Promise<Answer>;
}

/** An answer, with the uid of the review that it is to. */
export interface Answered {
  answer: Answer;
  uid: string;
}

/**
 * A write waits for webhooks. It has changed nothing, and is tried again from its beginning once they have answered:
 * requests are handled synchronously, so that nobody sees one that is half done.
 */
export class Waiting extends Error {
  readonly answered: Promise<void>;
  constructor(answered: Promise<void>) {
    super('waits for webhooks');
    this.answered = answered;
  }
}

/** The answers of webhooks to one write, or to those of controllers, which have no request to keep them with. */
export class Answers {
  readonly #known = new Map<string, Answered & { at: number }>();
  readonly #open = new Map<string, Promise<void>>();
  readonly #now: () => number;
  /** Milliseconds after which an answer is forgotten. */
  readonly #ttlMs: number;
  readonly #drawn: string[] = [];
  /** What the present attempt at a write has read. */
  readonly #read = new Set<string>();
  #next = 0;

  constructor(now: () => number = () => 0, ttlMs = Infinity) {
    this.#now = now;
    this.#ttlMs = ttlMs;
  }

  /** The write has ended: the next equal one is asked about anew. */
  end(): void {
    for (const key of this.#read) this.#known.delete(key);
    this.#read.clear();
  }

  /** Another attempt begins: it draws the same ids. */
  begin(): void {
    this.#next = 0;
  }

  /** Ids that are the same in each attempt. */
  ids(source: IdSource): IdSource {
    const drawn = (draw: () => string): string => {
      const at = this.#next++;
      return (this.#drawn[at] ??= draw());
    };
    return { uid: () => drawn(() => source.uid()), nameSuffix: () => drawn(() => source.nameSuffix()) };
  }

  /** The answers to calls, which are made all at once. Throws Waiting until each is there. */
  to(calls: readonly Call[]): Answered[] {
    // What is answered at once is asked again by the next equal write: of controllers, too.
    const atOnce = calls.map((call) => this.#begin(call));
    const open = calls.flatMap(({ key }) => this.#open.get(key) ?? []);
    if (open.length > 0) {
      this.#read.clear();
      throw new Waiting(Promise.all(open).then(() => undefined));
    }
    for (const { key } of calls) this.#read.add(key);
    return calls.flatMap(({ key }, index) => atOnce[index] ?? this.#known.get(key) ?? []);
  }

  #begin({ key, uid, make }: Call): Answered | undefined {
    for (const [each, { at }] of this.#known) {
      if (this.#now() - at < this.#ttlMs) break;
      this.#known.delete(each);
    }
    if (this.#known.has(key) || this.#open.has(key)) return undefined;
    const made = make();
    if (!(made instanceof Promise)) return { answer: made, uid };
    const keep = (answer: Answer) => void this.#known.set(key, { answer, uid, at: this.#now() });
    const open = made.then(keep).finally(() => this.#open.delete(key));
    this.#open.set(key, open);
    return undefined;
  }
}

/** Plays a write, again after each wait for webhooks. The result is a promise only if it had to wait. */
export function withAnswers<T>(run: (answers: Answers) => T): T | Promise<T> {
  const answers = new Answers();
  const attempted = (): T | Promise<T> => {
    answers.begin();
    try {
      return run(answers);
    } catch (error) {
      if (!(error instanceof Waiting)) throw error;
      return error.answered.then(() => attempted());
    }
  };
  return attempted();
}
