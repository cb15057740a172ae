import { createHash } from 'node:crypto';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { withoutDefaults } from '../children/content.ts';
import { imageOf, normalizePull, PULL_DEFAULTS } from '../imagepulljob/normalize.ts';
import { pullJobResource } from '../imagepulljob/resource.ts';
import { controllerReference, isOwnedBy } from '../owner.ts';
import { canonicalJson, compareCodePoints } from '../values/canonical-json.ts';
import { cutName } from '../values/cut-name.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { imagesOf } from './normalize.ts';

/** The label of a child that says which template it is of, as OpenKruise has it. */
const TEMPLATE_LABEL = 'controller-revision-hash';

/** Hexadecimal digits in the name of a child. */
const ID_DIGITS = 10;
const LONGEST_OWNER = 253 - '-'.length - ID_DIGITS;

/** One image of a list, and its child. */
export interface Member {
  image: string;
  /** The name of the child that is created for it. */
  name: string;
  /** Undefined: there is none. */
  child: KubeObject | undefined;
  /** One of its name is on its way out, or is to go: until then there is no other. */
  waits: boolean;
}

/** The images of a list with their children, and the children that are of none. */
export interface Members {
  list: readonly Member[];
  /** Of another template, or of an image that is not in the list any more. */
  past: readonly KubeObject[];
}

/**
 * Which child is whose (OpenKruise image-pull, rule 6b.2). One is known by its name, which follows from the image and the template: what
 * a webhook has made of it as it was created is not replaced again and again. One of another name, that OpenKruise has created, is known
 * by its content.
 */
export function membersOf(target: KubeObject, objects: readonly KubeObject[]): Members {
  const own = objects
    .filter((object) => isOwnedBy(object, target))
    .sort((a, b) => compareCodePoints(a.metadata.name, b.metadata.name));
  const template = templateKey(target);
  const named = new Map(own.map((object) => [object.metadata.name, object]));
  const images = imagesOf(target).map((image) => ({ image, name: nameOf(target, image, template) }));
  const names = new Set(images.map(({ name }) => name));
  const alike = new Map<string, KubeObject>();
  for (const object of own)
    if (!isLeaving(object) && !names.has(object.metadata.name) && templateKey(object) === template)
      alike.set(imageOf(object), alike.get(imageOf(object)) ?? object);
  const list = images.map(({ image, name }): Member => {
    const child = named.get(name);
    if (child === undefined) return { image, name, child: alike.get(image), waits: false };
    return isLeaving(child) || isEdited(child, target, image)
      ? { image, name, child: undefined, waits: true }
      : { image, name, child, waits: false };
  });
  const present = new Set(list.map(({ child }) => child));
  return { list, past: own.filter((object) => !present.has(object) && !isLeaving(object)) };
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * Whether somebody has given a child another image, other nodes or another pull policy since it was created: it does not say what became
 * of its own. How fast it pulls is no such thing.
 */
function isEdited(child: KubeObject, list: KubeObject, image: string): boolean {
  if ((child.metadata.generation ?? 1) <= 1) return false;
  return imageOf(child) !== image || askedOf(child) !== askedOf(list);
}

/** Where a job pulls to, and whether it asks a registry. */
function askedOf(object: KubeObject): string {
  const { nodes, isForced } = normalizePull(object);
  return canonicalJson({ nodes: { ...nodes }, isForced });
}

/** The child of an image that has none. Its TTL is that of the list: one that goes earlier would be created again. */
export function newChild(target: KubeObject, { image, name }: Pick<Member, 'image' | 'name'>): KubeObject {
  const { namespace } = target.metadata;
  return {
    apiVersion: `${pullJobResource.group}/${pullJobResource.version}`,
    kind: pullJobResource.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [TEMPLATE_LABEL]: templateKey(target) },
      ownerReferences: [controllerReference(target)],
    },
    spec: { image, completionPolicy: {}, ...templateOf(target) },
  };
}

/** What all pulls of a list have in common. */
function templateOf({ spec }: KubeObject): JsonObject {
  const { images: _images, image: _image, completionPolicy, ...rest } = objectOf(spec);
  const { ttlSecondsAfterFinished: _ttl, ...policy } = objectOf(completionPolicy);
  return { ...rest, completionPolicy: policy };
}

/** Equal for lists and children of the same template, whichever defaults are written in it. */
const templateKey = remembered((object: KubeObject): string => {
  const content = canonicalJson(withoutDefaults(templateOf(object), PULL_DEFAULTS));
  const key = digest(content).slice(0, ID_DIGITS);
  return key;
});

function nameOf({ metadata: { name, uid = '' } }: KubeObject, image: string, template: string): string {
  const id = digest(`${uid}/${template}/${image}`).slice(0, ID_DIGITS);
  return `${cutName(name, LONGEST_OWNER)}-${id}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
