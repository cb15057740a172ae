import { HostError } from '../../compiler/host.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/** The comments of one pull request, on the forge that has it. */
export interface Thread {
  /** How messages name it: `pull request 7`. */
  name: string;
  /** One page of comments, the oldest first; empty beyond the last page. */
  page(number: number): Promise<readonly Comment[]>;
  create(body: string): Promise<void>;
  replace(id: number, body: string): Promise<void>;
}

export interface Comment {
  id: number;
  body: string;
  /** Written by the account that posts. Others may write what looks like a comment of ours. */
  isOwn: boolean;
}

/** How many comments a page has, and how many pages are read at most. */
export const PAGE = 100;
const MOST_PAGES = 50;

/**
 * The first line of a comment of ours. No text of a manifest begins a comment, and none has `<` in it. Each name has a comment of its
 * own.
 */
function markerOf(name: string | undefined): string {
  return name === undefined ? '<!-- kruise plan -->' : `<!-- kruise plan ${name} -->`;
}

/** What is written of a run. */
export interface Sticky {
  /** Of the lower-case letters, digits and dashes; undefined: the pull request has one comment. */
  name: string | undefined;
  text: string;
  /** Whether a first comment is written. */
  isWorthIt: boolean;
}

/** Writes the comment of a pull request: replaces that of an earlier run, if it differs. Returns what was done, as words. */
export async function postSticky(thread: Thread, { name, text, isWorthIt }: Sticky): Promise<string> {
  const marker = markerOf(name);
  const body = `${marker}\n${name === undefined ? '' : `_${name}_\n\n`}${text}`;
  for (let number = 1; number <= MOST_PAGES; number += 1) {
    const comments = await thread.page(number);
    const own = comments.find((comment) => comment.isOwn && isSticky(comment.body, marker));
    if (own !== undefined) {
      if (sameText(own.body, body)) return `the comment on ${thread.name} is up to date`;
      await thread.replace(own.id, body);
      return `replaced the comment on ${thread.name}`;
    }
    if (comments.length < PAGE) break;
  }
  if (!isWorthIt) return `nothing to say on ${thread.name}`;
  await thread.create(body);
  return `commented on ${thread.name}`;
}

function isSticky(body: string, marker: string): boolean {
  return body.startsWith(`${marker}\n`) || body.startsWith(`${marker}\r\n`);
}

/** Forges change line breaks, and cut blanks at the end. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(a) === plain(b);
}

const TIMEOUT_MS = 30_000;

/** A request to the API of a forge. Throws a `HostError` without the secret. Redirects are refused: they would get the token. */
export async function request(
  { url, headers }: Api,
  path: string,
  { method, body }: { method: 'GET' | 'POST' | 'PATCH' | 'PUT'; body?: object } = { method: 'GET' },
): Promise<unknown> {
  const what = `${method} ${path}`;
  let answer: Response;
  try {
    answer = await fetch(`${withoutTrailing(url, '/')}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'kruise' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new HostError(`${what}: ${error instanceof Error ? error.message : 'no answer'}`);
  }
  if (!answer.ok) throw new HostError(`${what}: the forge answers ${answer.status}`);
  try {
    return await answer.json();
  } catch {
    throw new HostError(`${what}: the answer is no JSON`);
  }
}

/** Where the API of a forge is, and what signs in to it. */
export interface Api {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A member of an answer along a path of names; undefined where there is none. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
}

/** The items of an answer. Throws a `HostError` if it is no list. */
export function listOf(answer: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(answer)) throw new HostError(`${what}: the answer is no list`);
  return answer as readonly unknown[];
}

/** A variable of CI. Throws a `HostError` that names it. */
export function variable(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new HostError(`${name} is not set`);
  return value;
}
