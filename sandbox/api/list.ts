import type { ListOptions, ObjectList } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../store/value.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { viewOf, type Served } from './registry.ts';
import { parseFieldSelector, parseLabelSelector, type Matcher } from './selector.ts';

/** What both selectors of a request let through. 400 when one does not parse. */
export function selectedBy(
  { type }: Served,
  options: { labelSelector?: string; fieldSelector?: string },
): Matcher {
  const byLabel = parseLabelSelector(options.labelSelector);
  const byField = parseFieldSelector(options.fieldSelector, {
    'metadata.name': (object) => object.metadata.name,
    ...(type.namespaced
      ? { 'metadata.namespace': (object: KubeObject) => object.metadata.namespace ?? '' }
      : {}),
    ...type.rules.fields,
  });
  return (object) => byLabel(object) && byField(object);
}

interface Continuation {
  revision: number;
  after: string;
}

function encodeContinue(continuation: Continuation): string {
  return Buffer.from(JSON.stringify(continuation)).toString('base64url');
}

function decodeContinue(token: string): Continuation {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    parsed = undefined;
  }
  const revision = fieldAt(parsed, ['revision']);
  const after = fieldAt(parsed, ['after']);
  if (typeof revision !== 'number' || typeof after !== 'string')
    throw refuse.badRequest('continue key is not valid: it was not issued by this server');
  return { revision, after };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function parseRevision(text: string): number {
  if (!/^\d+$/.test(text))
    throw refuse.badRequest(`resourceVersion: Invalid value: "${text}": not a revision`);
  return Number(text);
}

/**
 * LIST, sorted by namespace and name. Pages of one list all show the state at the first page's resourceVersion: 410
 * when the history no longer reaches back. A resourceVersion that is yet to come is a timeout (504).
 */
export function listObjects(context: ApiContext, served: Served, options: ListOptions): ObjectList {
  const { store } = context;
  const { type } = served;
  const matches = selectedBy(served, options);
  const namespace = type.namespaced ? options.namespace || undefined : undefined;
  const at = options.continue ? decodeContinue(options.continue) : undefined;
  const revision = at?.revision ?? store.revision();
  if (at === undefined && options.resourceVersion) {
    const wanted = parseRevision(options.resourceVersion);
    if (wanted > revision)
      throw refuse.timeout(`Too large resource version: ${wanted}, current: ${revision}`);
  }
  const stored =
    at === undefined ? store.list(type.id, namespace) : store.listAt(type.id, namespace, revision);
  if (stored === undefined)
    throw refuse.expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    );
  const rest = at === undefined ? stored : stored.filter((object) => keyOf(object) > at.after);
  const selected = rest.filter(matches);
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : selected.length;
  const page = selected.slice(0, limit);
  const last = page.at(-1);
  const metadata: ObjectList['metadata'] = { resourceVersion: String(revision) };
  if (selected.length > page.length && last !== undefined) {
    metadata.continue = encodeContinue({ revision, after: keyOf(last) });
    // Like etcd, which counts keys: a selective list cannot say how many are left.
    if (!options.labelSelector && !options.fieldSelector)
      metadata.remainingItemCount = selected.length - page.length;
  }
  return { metadata, items: page.map((object) => viewOf(served, object)) };
}
