import type { FieldChange, FromEntry } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { containersOf } from '../forecast/images.ts';

/** The most images of an entry, and the most characters of one, so that ten entries stay small. */
const MOST_IMAGES = 10;
const LONGEST_IMAGE = 256;
const HAVE_CONTAINERS: ReadonlySet<string> = new Set(['template', 'spec', 'containers', 'initContainers']);
/** The images of a revision as an entry of a plan states them; undefined: they are not known, or do not fit. */
export type StatedImages = readonly string[] | undefined;

/** The images of a pod template, each once. Omits all of them if one would be rewritten by a substitution. */
export function statedImages(template: JsonObject): StatedImages {
  return stated(containersOf(template).map(({ image }) => image));
}

/**
 * The images on the other side of a change, by the template on one side and the changed fields of the plan. Undefined: the fields
 * do not show all of them, as where a container comes or goes.
 *
 * @param side the side whose images are wanted: those before the change, or those after it
 */
export function imagesAcross(
  template: JsonObject,
  fields: readonly FieldChange[],
  side: 'from' | 'to',
): StatedImages {
  if (fields.some(({ path }) => isOfContainers(path))) return undefined;
  const images = containersOf(template).map(({ list, name, image }) => {
    const changed = fields.find(({ path }) => path.endsWith(`.${list}[${name}].image`));
    if (changed === undefined) return image;
    const other = changed[side];
    return typeof other === 'string' ? other : undefined;
  });
  return stated(images);
}

/** Whether two lists of images are the same, in the same order. */
export function areSameImages(one: StatedImages, other: StatedImages): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * The images by hash that earlier plans and the manifest at base show: what their entries state, what fields show beside the
 * manifest at base, and that manifest itself. The newest plan counts where several name one revision.
 *
 * @param plans newest first
 */
export function knownImages(
  base: { hash: string; template: JsonObject },
  plans: readonly { to: { hash: string }; from: readonly FromEntry[] }[],
): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  const add = (hash: string, images: StatedImages): void => {
    if (images !== undefined && !known.has(hash)) known.set(hash, images);
  };
  add(base.hash, statedImages(base.template));
  for (const { to, from } of plans) {
    const [first] = from;
    if (first?.fields !== undefined && first.hash === base.hash)
      add(to.hash, imagesAcross(base.template, first.fields, 'to'));
    for (const { hash, images } of from) add(hash, images);
    if (first?.fields !== undefined && to.hash === base.hash)
      add(first.hash, imagesAcross(base.template, first.fields, 'from'));
  }
  return known;
}

/** A path to a container as a whole, to a list of them, or to what has them: fields that are too many are combined. */
function isOfContainers(path: string): boolean {
  const parent = path.endsWith(']') ? path.slice(0, path.lastIndexOf('[')) : path;
  return HAVE_CONTAINERS.has(parent.slice(parent.lastIndexOf('.') + 1));
}

function stated(images: readonly (string | undefined)[]): StatedImages {
  const shown = images.filter(
    (image) => image !== undefined && image !== '' && image.length <= LONGEST_IMAGE && !image.includes('${'),
  ) as string[];
  const distinct = [...new Set(shown)];
  return distinct.length === 0 || shown.length < images.length || distinct.length > MOST_IMAGES
    ? undefined
    : distinct;
}
