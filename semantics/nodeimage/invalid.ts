import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { imageFaults } from '../imagepulljob/invalid.ts';
import { isDigest, isTag } from '../values/image-name.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { CLOSED_NAMESPACES } from '../values/system-namespaces.ts';
import { imagesOf } from './normalize.ts';

/** OpenKruise allows as many (image-pull, section 2b). */
const MOST_IMAGES = 256;
/** More are not pulled in any useful time, and each has a row in the status. */
const MOST_TAGS = 256;
/** A pull goes from one namespace to the next. */
const MOST_SECRETS = 64;

/** Errors in a NodeImage (OpenKruise image-pull, section 2b). */
export function invalidNodeImage(target: KubeObject): InvalidField[] {
  const images = Object.entries(imagesOf(target));
  const path = ['spec', 'images'];
  const many = images.length > MOST_IMAGES;
  const tags = images.reduce((sum, [, entry]) => sum + listOf(objectOf(entry)['tags']).length, 0);
  return [
    ...(many ? [{ path, rule: `must have at most ${MOST_IMAGES} images` }] : []),
    ...(tags > MOST_TAGS ? [{ path, rule: `must have at most ${MOST_TAGS} tags in all` }] : []),
    ...images.flatMap(([name, entry]) => entryFaults(name, objectOf(entry), [...path, name])),
  ];
}

function entryFaults(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  path: readonly string[],
): InvalidField[] {
  const nameFaults = imageFaults(name, [...path]);
  if (nameFaults.length === 0 && !isName(name))
    nameFaults.push({ path: [...path], rule: 'must be a name without tag or digest' });
  const seen = new Set<string>();
  const tags = listOf(entry['tags']).flatMap((each, index): InvalidField[] => {
    const at = [...path, 'tags', String(index), 'tag'];
    const tag = textOf(each['tag']);
    if (tag === '') return [{ path: at, rule: 'tag can not be empty' }];
    if (seen.has(tag)) return [{ path: at, rule: 'each tag may be there once' }];
    seen.add(tag);
    return isTag(tag) || isDigest(tag) ? [] : [{ path: at, rule: 'must be a tag or a digest' }];
  });
  return [...nameFaults, ...(nameFaults.length > 0 ? [] : tags), ...secretFaults(entry, path)];
}

/** The last part of a name has no colon: that of a registry may have a port. */
function isName(name: string): boolean {
  return !name.includes('@') && !name.slice(name.lastIndexOf('/') + 1).includes(':');
}

function secretFaults(entry: Readonly<Record<string, unknown>>, path: readonly string[]): InvalidField[] {
  const secrets = listOf(entry['pullSecrets']);
  const at = [...path, 'pullSecrets'];
  if (secrets.length > MOST_SECRETS) return [{ path: at, rule: `must have at most ${MOST_SECRETS} Secrets` }];
  return secrets.flatMap((each, index): InvalidField[] => {
    const [namespace, name] = [textOf(each['namespace']), textOf(each['name'])];
    const own = [...at, String(index)];
    const faults: InvalidField[] = [];
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
      faults.push({ path: [...own, 'namespace'], rule: 'must be the name of a namespace' });
    else if (CLOSED_NAMESPACES.includes(namespace))
      faults.push({ path: [...own, 'namespace'], rule: `nothing is pulled in namespace ${namespace}` });
    if (name.length > 253 || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
      faults.push({ path: [...own, 'name'], rule: 'must be the name of a Secret' });
    return faults;
  });
}
