import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Made, reservedKeys } from './reserved-keys.ts';
import { isInstanceIdLabel, REVISION_LABEL, SHORT_HASH_LABEL } from './types.ts';

/**
 * Reserved keys, with their values, that a template has given to what was made of it.
 *
 * A reserved key on a pod is believed where OpenKruise or this runtime wrote it there, and how that is known is this: what is
 * made here has none from its template (`carriedOver`, `carriedChange`), and what OpenKruise makes has exactly what the
 * template of its revision says. So a key whose value on the pod is that of the template of any revision on record came from
 * there, and is not believed: nobody sees it. Any of them, because a pod keeps what it has where two templates say the same.
 *
 * Not so where whoever makes or updates a pod writes the key after the template's, whatever that says: its revision, and the
 * id that its name ends with.
 */
export type TemplateMetadata = ReadonlySet<string>;

const known = new WeakMap<JsonObject, TemplateMetadata>();

/** What each of these templates has given; few have given anything. Templates are immutable once seen. */
export function metadataFromTemplates(templates: readonly JsonObject[], made: Made): TemplateMetadata[] {
  return templates.map((template) => givenByOne(template, made)).filter((given) => given.size > 0);
}

function givenByOne(template: JsonObject, made: Made): TemplateMetadata {
  const before = known.get(template);
  if (before !== undefined) return before;
  const metadata = (template['metadata'] ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const given = new Set(
    reservedKeys(template, made).flatMap(({ section, key }) => {
      const value = section === 'finalizers' ? undefined : metadata[section]?.[key];
      return typeof value === 'string' ? [entry(section, key, value)] : [];
    }),
  );
  known.set(template, given);
  return given;
}

/** On an object that the server has taken there is no space and no equals sign in a key. */
function entry(section: string, key: string, value: string): string {
  return `${section} ${key}=${value}`;
}

/** Objects are immutable once seen, and what was computed of one is found by the object. */
const seen = new WeakMap<KubeObject, { givens: readonly TemplateMetadata[]; without: KubeObject }>();

/** The object without what it has from a template. */
export function withoutTemplateMetadata<Kind extends KubeObject>(
  object: Kind,
  givens: readonly TemplateMetadata[],
): Kind {
  if (givens.length === 0) return object;
  const before = seen.get(object);
  if (before?.givens.length === givens.length && before.givens.every((each, i) => each === givens[i]))
    return before.without as Kind;
  const { labels, annotations } = object.metadata;
  const kept = {
    ...(labels && { labels: ownOf(object, 'labels', labels, givens) }),
    ...(annotations && { annotations: ownOf(object, 'annotations', annotations, givens) }),
  };
  const without = { ...object, metadata: { ...object.metadata, ...kept } };
  seen.set(object, { givens, without });
  return without;
}

function ownOf(
  { metadata: { name } }: KubeObject,
  section: 'labels' | 'annotations',
  texts: Readonly<Record<string, string>>,
  givens: readonly TemplateMetadata[],
): Record<string, string> {
  const isOwn = ([key, value]: [string, string]): boolean =>
    key === REVISION_LABEL ||
    key === SHORT_HASH_LABEL ||
    (isInstanceIdLabel(key) && name.endsWith(`-${value}`)) ||
    !isFromTemplate(givens, section, key, value);
  return Object.fromEntries(Object.entries(texts).filter(isOwn));
}

/** Whether a template has given this value. */
export function isFromTemplate(
  givens: readonly TemplateMetadata[],
  section: 'labels' | 'annotations',
  key: string,
  value: string,
): boolean {
  const text = entry(section, key, value);
  return givens.some((given) => given.has(text));
}
