import { HostError } from '../../compiler/host.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { Host } from '../host.ts';

/** Where CI systems name the commit that a branch was at before the push, alone or as the begin of a range. */
const VARIABLES = [
  'CI_COMMIT_BEFORE_SHA',
  'DRONE_COMMIT_BEFORE',
  'CI_PREV_COMMIT_SHA',
  'GIT_PREVIOUS_COMMIT',
  'TRAVIS_COMMIT_RANGE',
  'SEMAPHORE_GIT_COMMIT_RANGE',
] as const;

/** GitHub writes what happened into a file, at most so large. */
const EVENT_FILE = 'GITHUB_EVENT_PATH';
const MOST_EVENT_BYTES = 32 * 1024 ** 2;

/** A commit that CI names, and the variable that it comes from. */
export interface Named {
  id: string;
  from: string;
}

/** The commit that the branch was at before the push that CI builds; undefined if it names none, as for a new branch. */
export function beforePush(host: Pick<Host, 'env' | 'readFile'>): Named | undefined {
  for (const from of VARIABLES) {
    const id = commitIn(host.env[from]);
    if (id !== undefined) return { id, from };
  }
  const id = commitIn(beforeInEvent(host));
  return id === undefined ? undefined : { id, from: EVENT_FILE };
}

/** The id at the begin of a text; undefined if there is none, or it is the one of no commit. */
function commitIn(text: unknown): string | undefined {
  const id = typeof text === 'string' ? /^[0-9a-f]{7,64}(?=\.\.|$)/.exec(text)?.[0] : undefined;
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}

function beforeInEvent(host: Pick<Host, 'env' | 'readFile'>): unknown {
  return eventOf(host)['before'];
}

/** The branch that GitHub's merge queue merges into, where it builds one; undefined: it builds something else. */
export function queuedBranch(host: Pick<Host, 'env' | 'readFile'>): string | undefined {
  if (host.env['GITHUB_EVENT_NAME'] !== 'merge_group') return undefined;
  const ref = objectOf(eventOf(host)['merge_group'])['base_ref'];
  return typeof ref === 'string' ? /^refs\/heads\/(?!-)(.{1,1000})$/.exec(ref)?.[1] : undefined;
}

/** What GitHub says of the event; empty where it says nothing that can be read. */
function eventOf(host: Pick<Host, 'env' | 'readFile'>): JsonObject {
  const path = host.env[EVENT_FILE];
  if (path === undefined || path === '') return {};
  try {
    return objectOf(JSON.parse(new TextDecoder().decode(host.readFile(path, MOST_EVENT_BYTES))));
  } catch (error) {
    // Without the file, the last commit is still compared.
    if (error instanceof HostError || error instanceof SyntaxError) return {};
    throw error;
  }
}
