import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { contentHash } from '../values/canonical-json.ts';
import { compareQuantities, parseQuantity } from '../values/quantity.ts';
import { listOf, objectOf } from '../values/read.ts';
import { templateName } from './unit.ts';

/** How a claim compares with its template (OpenKruise). */
export interface ClaimFit {
  /** It has the storage class and the access modes of the template. A class that one of them leaves out is not compared. */
  isSameKind: boolean;
  /** It requests at least what the template requests. */
  isLargeEnough: boolean;
  /** Its volume has what the claim requests. */
  isFilled: boolean;
  /** Its volume has what the template requests, or gets it once a node has resized the file system. */
  isGrown: boolean;
  /** The server lets it grow: it has a volume. */
  isBound: boolean;
}

export function claimFit(claim: KubeObject, template: JsonObject): ClaimFit {
  const [own, wanted] = [objectOf(claim['spec']), objectOf(template['spec'])];
  const status = objectOf(claim['status']);
  const requested = storageOf(objectOf(own['resources'])['requests']);
  const size = storageOf(objectOf(wanted['resources'])['requests']);
  const capacity = storageOf(status['capacity']);
  const [ownClass, wantedClass] = [own['storageClassName'], wanted['storageClassName']];
  const isSameClass =
    ownClass === undefined || wantedClass === undefined || ownClass === '' || ownClass === wantedClass;
  const isResizedByNode = listOf(status['conditions']).some(
    ({ type, status: is }) => type === 'FileSystemResizePending' && is === 'True',
  );
  return {
    isSameKind: isSameClass && modesOf(own) === modesOf(wanted),
    isLargeEnough: isAtLeast(requested, size),
    isFilled: isAtLeast(capacity, requested),
    isGrown: isAtLeast(requested, size) && (isAtLeast(capacity, size) || isResizedByNode),
    isBound: status['phase'] === 'Bound',
  };
}

/**
 * Identifies what existing claims grow to: what `claimFit` reads of each template, in any order and any spelling of sizes.
 * Undefined: there is no template.
 */
export function growthHash(templates: readonly JsonObject[]): string | undefined {
  if (templates.length === 0) return undefined;
  return contentHash(
    Object.fromEntries(
      templates.map((template) => {
        const wanted = objectOf(template['spec']);
        const size = parseQuantity(templateSize(template) ?? '');
        const { storageClassName: storageClass = null } = wanted;
        return [
          templateName(template),
          { size: size === undefined ? null : String(size.nanos), storageClass, modes: modesOf(wanted) },
        ];
      }),
    ),
  );
}

/** The storage that a claim template requests, as it is written; undefined: none that is a quantity. */
export function templateSize(template: JsonObject): string | number | undefined {
  return storageOf(objectOf(objectOf(objectOf(template['spec'])['resources'])['requests']));
}

/** Whether a size is larger than another one; false where one of them is no quantity. */
export function isLarger(size: string | number | undefined, than: string | number | undefined): boolean {
  return size !== undefined && than !== undefined && !isAtLeast(than, size);
}

function storageOf(list: unknown): string | number | undefined {
  const { storage } = objectOf(list);
  const is = typeof storage === 'string' || typeof storage === 'number';
  return is && parseQuantity(storage) !== undefined ? storage : undefined;
}

/** Where no least size is given, every size is enough. */
function isAtLeast(size: string | number | undefined, least: string | number | undefined): boolean {
  const [has, wants] = [size, least].map((each) => (each === undefined ? undefined : parseQuantity(each)));
  return wants === undefined || (has !== undefined && compareQuantities(has, wants) >= 0);
}

function modesOf({ accessModes }: JsonObject): string {
  return JSON.stringify(accessModes ?? []);
}
