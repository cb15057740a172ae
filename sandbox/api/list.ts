import type { ListOptions, ObjectList } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { decodeContinue, encodeContinue, tokenKey, type Continuation } from './continuation.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { viewOf, type Served } from './registry.ts';
import { parseFieldSelector, parseLabelSelector, type Matcher, type SelectableFields } from './selector.ts';

/** The message for an unknown field label differs for kinds with their own selectable fields. */
function unknownField({ type }: Served): (name: string) => string {
  if (type.custom || type.rules.fields !== undefined) return (name) => `field label not supported: ${name}`;
  return (name) =>
    `${JSON.stringify(name)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function selectableFields({ type }: Served): SelectableFields {
  const special = type.custom || type.rules.fields !== undefined;
  return {
    'metadata.name': (object) => object.metadata.name,
    ...(type.namespaced || !special
      ? { 'metadata.namespace': (object: KubeObject) => object.metadata.namespace ?? '' }
      : {}),
    ...type.rules.fields,
  };
}

/** The predicate of both selectors of a request. 400 if one does not parse. */
export function selectedBy(
  served: Served,
  options: { labelSelector?: string; fieldSelector?: string },
): Matcher {
  const byLabel = parseLabelSelector(options.labelSelector);
  if (!options.fieldSelector) return byLabel;
  const byField = parseFieldSelector(options.fieldSelector, selectableFields(served), unknownField(served));
  if (!served.type.custom) return (object) => byLabel(object) && byField(object);
  // Of a custom resource the defaults that a read fills in can be selected by, too.
  return (object) => byLabel(object) && byField(viewOf(served, object));
}

/** Parses a resourceVersion. `refusal` makes the error for an invalid one. */
export function parseRevision(text: string, refusal: (why: string) => Error): number {
  const wrong = !/^\d+$/.test(text)
    ? 'invalid syntax'
    : BigInt(text) >= 2n ** 64n
      ? 'value out of range'
      : undefined;
  if (wrong !== undefined) {
    const shown = JSON.stringify(text);
    throw refusal(`resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: ${wrong}`);
  }
  return Number(text);
}

/** The revision that a list must show; undefined for the current state. */
function revisionFor(options: ListOptions, limit: number, at: Continuation | undefined): number | undefined {
  const { resourceVersion = '', resourceVersionMatch: match } = options;
  const wanted =
    resourceVersion === ''
      ? 0
      : parseRevision(resourceVersion, (why) => refuse.badRequest(`invalid resource version: ${why}`));
  if (at !== undefined) {
    if (wanted > 0) throw refuse.badRequest('specifying resource version is not allowed when using continue');
    return at.revision < 0 ? undefined : at.revision;
  }
  if (wanted === 0) return undefined;
  // Without resourceVersionMatch, the first page of a limited list is exact; an unlimited list is not older than
  // the revision.
  const exact = match === 'Exact' || (match === undefined && limit !== Infinity);
  return exact ? wanted : undefined;
}

const tooOldToContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** The key order of etcd, in which namespace and name form one key. */
function goesOn(at: Continuation, namespaced: boolean): (object: KubeObject) => boolean {
  return (object) => tokenKey(object, namespaced) >= at.start;
}

/**
 * LIST, sorted by namespace and name. Without a resourceVersion: the current state. `0`: any state (here the
 * current one, without limit). Other values: not older than that, or with a limit or `Exact` exactly that state.
 * All pages of a list show the state of the first page. 410 if the history was compacted (with a token for the
 * current state when continuing), 504 for a future revision.
 */
export function listObjects(context: ApiContext, served: Served, options: ListOptions): ObjectList {
  const { store } = context;
  const { type } = served;
  const matches = selectedBy(served, options);
  const namespace = type.namespaced ? options.namespace || undefined : undefined;
  const at = options.continue ? decodeContinue(options.continue) : undefined;
  const { resourceVersion = '' } = options;
  const asked = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
  const limit = resourceVersion === '0' ? Infinity : asked;
  const revision = revisionFor(options, limit, at);
  const present = store.revision();
  const wanted = Math.max(revision ?? 0, at === undefined ? Number(resourceVersion || 0) : 0);
  if (wanted > present) throw refuse.revisionTooLarge(wanted, present);
  const stored =
    revision === undefined || revision === present
      ? store.list(type.id, namespace)
      : store.listAt(type.id, namespace, revision);
  const oneNamespace = namespace !== undefined || !type.namespaced;
  if (stored === undefined)
    throw at === undefined
      ? refuse.expired('The resourceVersion for the provided list is too old.')
      : refuse.expired(tooOldToContinue, encodeContinue(-1, at.start.replace(/\0$/, '')));
  const rest = at === undefined ? stored : stored.filter(goesOn(at, oneNamespace));
  const selected = rest.filter(matches);
  const page = selected.slice(0, limit);
  const last = page.at(-1);
  const shown = revision ?? present;
  const metadata: ObjectList['metadata'] = { resourceVersion: String(shown) };
  if (selected.length > page.length && last !== undefined) {
    metadata.continue = encodeContinue(shown, tokenKey(last, oneNamespace));
    // Like etcd, which counts keys: a list with selectors cannot report the remaining count.
    if (!options.labelSelector && !options.fieldSelector)
      metadata.remainingItemCount = selected.length - page.length;
  }
  return { metadata, items: page.map((object) => viewOf(served, object)) };
}
