import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { refuse } from './errors.ts';

/** Where a list continues: the revision (-1: the current one) and the start key. */
export interface Continuation {
  revision: number;
  start: string;
}

const tokenVersion = 'meta.k8s.io/v1';

/** The key in a continue token: the name within a namespaced list, else namespace and name. */
export function tokenKey({ metadata }: KubeObject, namespaced: boolean): string {
  return namespaced ? `/${metadata.name}` : `/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** A `continue` token; its key follows `last`. */
export function encodeContinue(revision: number, last: string): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start: `${last}\0` })).toString(
    'base64url',
  );
}

function bad(why: string): Error {
  return refuse.badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

function parse(token: string): unknown {
  const illegal = /[^A-Za-z0-9_=-]/.exec(token.replace(/\s/g, ''));
  if (illegal !== null || token.replace(/=+$/, '').length % 4 === 1)
    throw bad(`illegal base64 data at input byte ${illegal?.index ?? token.length - 1}`);
  const text = Buffer.from(token, 'base64url').toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const [first] = text.trimStart();
    throw bad(
      first === undefined || first === '{'
        ? 'unexpected end of JSON input'
        : `invalid character '${first}' looking for beginning of value`,
    );
  }
}

/** Decodes a token. 400 for a token that this server cannot have issued. */
export function decodeContinue(token: string): Continuation {
  const parsed = parse(token);
  const [version, revision, start] = [['v'], ['rv'], ['start']].map((path) => fieldAt(parsed, path));
  for (const [name, value, type, go] of [
    ['v', version, 'string', 'string'],
    ['rv', revision, 'number', 'int64'],
    ['start', start, 'string', 'string'],
  ] as const)
    if (value !== undefined && value !== null && typeof value !== type)
      throw bad(
        `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go struct field continueToken.${name} of type ${go}`,
      );
  if (version !== tokenVersion)
    throw bad(`server does not recognize this encoded version ${typeof version === 'string' ? version : ''}`);
  if (typeof revision !== 'number' || revision === 0 || !Number.isSafeInteger(revision))
    throw bad(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  if (typeof start !== 'string' || start === '')
    throw bad(`encoded start key empty (version ${tokenVersion})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (key.split('/').some((part) => part === '..' || part === '.')) throw bad(start);
  return { revision, start: key };
}
