import { ApiError } from '../../schemas/wire/cluster.ts';
import { cutForeign } from '../../semantics/values/text.ts';

/** The words of an API server that answers 403 to somebody who has the right, and what to do. */
const REFUSALS: readonly [words: RegExp, help: string][] = [
  [
    /serviceaccount "[^"]*" not found/,
    'a new namespace has its service account after a moment: try again, or name another namespace',
  ],
  [/because it is being terminated/, 'wait until the namespace is gone, and create it again'],
  [/exceeded quota|failed quota/, 'free some of the quota of the namespace, or raise it'],
  [/violates PodSecurity/, 'name another namespace, or lower its Pod Security level'],
  [/admission webhook "[^"]*" denied the request/, 'change the request as the webhook says'],
  [
    /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/,
    'change the request as the policy says',
  ],
];

/** What to do about a refusal that no right would end; undefined: it is no such refusal. */
export function helpForRefused(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status.code !== 403) return undefined;
  const message = cutForeign(error.status.message);
  return REFUSALS.find(([words]) => words.test(message))?.[1];
}
