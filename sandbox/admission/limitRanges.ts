import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import type { ResourceType } from '../api/registry.ts';
import { amountText, thousandthsOf, wholeOf, type Amount } from '../../schemas/pods/amount.ts';
import type { Container, Pod } from '../../schemas/pods/pod.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { amountsOf, type Amounts } from '../../schemas/pods/amounts.ts';
import { podAmounts } from '../../schemas/pods/podAmounts.ts';

const annotation = 'kubernetes.io/limit-ranger';
/** Smaller amounts are compared in thousandths, larger ones in whole units. */
const fineUpTo = 9_223_372_036_854_775n;

/** The limits of all limit ranges by type. */
function itemsOf(ranges: readonly KubeObject[], type: string): Fields[] {
  return ranges.flatMap((range) => {
    const limits = fieldAt(range, ['spec', 'limits']);
    return (Array.isArray(limits) ? (limits as unknown[]) : [])
      .filter(isFields)
      .filter((item) => item['type'] === type);
  });
}

/** A container with the defaults applied, and the applied defaults in the format of the annotation. */
function completed(
  container: Container,
  what: string,
  { default: limits, defaultRequest: requests }: Fields,
): { container: Container; set: string[] } {
  const resources: Fields = { ...container.resources };
  // A limit without a request is also the request, before defaults apply.
  const stated = isFields(resources['limits']) ? { ...resources['limits'] } : {};
  const asked = { ...stated, ...(isFields(resources['requests']) ? resources['requests'] : {}) };
  const set: string[] = [];
  const fill = (list: Fields, defaults: unknown, kind: string) => {
    const names = Object.keys(isFields(defaults) ? defaults : {}).filter((name) => list[name] === undefined);
    for (const name of names) list[name] = fieldAt(defaults, [name]);
    if (names.length > 0) set.push(`${names.sort().join(', ')} ${kind} for ${what} ${container.name}`);
  };
  fill(asked, requests, 'request');
  fill(stated, limits, 'limit');
  if (set.length === 0) return { container, set };
  return {
    container: {
      ...container,
      resources: {
        ...resources,
        ...(Object.keys(stated).length === 0 ? {} : { limits: stated as Record<string, string> }),
        ...(Object.keys(asked).length === 0 ? {} : { requests: asked as Record<string, string> }),
      },
    },
    set,
  };
}

/** Applies the default requests and limits of limit ranges to the containers of a new pod. */
export function withRangeDefaults(pod: KubeObject, ranges: readonly KubeObject[]): KubeObject {
  let result = pod;
  for (const range of ranges) {
    const [first] = itemsOf([range], 'Container');
    const { spec } = result as Pod;
    if (first === undefined || !isFields(spec)) continue;
    const set: string[] = [];
    const complete = (list: unknown, what: string): unknown =>
      Array.isArray(list)
        ? (list as unknown[]).map((each) => {
            if (!isFields(each)) return each;
            const done = completed(each as unknown as Container, what, first);
            set.push(...done.set);
            return done.container;
          })
        : list;
    const next: Fields = { ...spec, containers: complete(spec.containers, 'container') };
    if (spec.initContainers !== undefined)
      next['initContainers'] = complete(spec.initContainers, 'init container');
    if (set.length === 0) continue;
    const annotations = {
      ...result.metadata.annotations,
      [annotation]: `LimitRanger plugin set: ${set.join('; ')}`,
    };
    result = { ...result, metadata: { ...result.metadata, annotations }, spec: next };
  }
  return result;
}

type Check = (name: string, enforced: Amount, requests: Amounts, limits: Amounts) => string | undefined;

/** Both amounts in the unit of comparison. */
function comparable(...amounts: (Amount | undefined)[]): bigint[] {
  const coarse = amounts.some((amount) => amount !== undefined && wholeOf(amount) > fineUpTo);
  return amounts.map((amount) =>
    amount === undefined ? 0n : coarse ? wholeOf(amount) : thousandthsOf(amount),
  );
}

function checks(type: string): Record<'min' | 'max' | 'maxLimitRequestRatio', Check> {
  return {
    min(name, enforced, requests, limits) {
      const request = requests.get(name);
      const limit = limits.get(name);
      const [least = 0n, asked = 0n, limited = 0n] = comparable(enforced, request, limit);
      const rule = `minimum ${name} usage per ${type} is ${amountText(enforced)}`;
      if (request === undefined) return `${rule}.  No request is specified`;
      if (asked < least) return `${rule}, but request is ${amountText(request)}`;
      return limit !== undefined && limited < least
        ? `${rule}, but limit is ${amountText(limit)}`
        : undefined;
    },
    max(name, enforced, requests, limits) {
      const request = requests.get(name);
      const limit = limits.get(name);
      const [most = 0n, asked = 0n, limited = 0n] = comparable(enforced, request, limit);
      const rule = `maximum ${name} usage per ${type} is ${amountText(enforced)}`;
      if (type === 'PersistentVolumeClaim') {
        if (request === undefined) return `${rule}.  No request is specified`;
      } else if (limit === undefined) return `${rule}.  No limit is specified`;
      else if (limited > most) return `${rule}, but limit is ${amountText(limit)}`;
      return request !== undefined && asked > most
        ? `${rule}, but request is ${amountText(request)}`
        : undefined;
    },
    maxLimitRequestRatio(name, enforced, requests, limits) {
      const [asked = 0n, limited = 0n] = comparable(requests.get(name), limits.get(name));
      const rule = `${name} max limit to request ratio per ${type} is ${amountText(enforced)}`;
      if (asked === 0n) return `${rule}, but no request is specified or request is 0`;
      if (limited === 0n) return `${rule}, but no limit is specified or limit is 0`;
      const ratio = Number(limited) / Number(asked);
      return ratio * 1000 > Number(thousandthsOf(enforced))
        ? `${rule}, but provided ratio is ${ratio.toFixed(6)}`
        : undefined;
    },
  };
}

function violations(item: Fields, requests: Amounts, limits: Amounts): string[] {
  const rules = checks(String(item['type']));
  return (['min', 'max', 'maxLimitRequestRatio'] as const).flatMap((list) =>
    [...amountsOf(item[list])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, enforced]) => rules[list](name, enforced, requests, limits) ?? []),
  );
}

function podViolations(pod: Pod, range: KubeObject): string[] {
  const { containers, initContainers = [] } = pod.spec;
  const limits = fieldAt(range, ['spec', 'limits']);
  return (Array.isArray(limits) ? (limits as unknown[]) : []).filter(isFields).flatMap((item) => {
    if (item['type'] === 'Container')
      return [...containers, ...initContainers].flatMap(({ resources }) =>
        violations(item, amountsOf(resources?.requests), amountsOf(resources?.limits)),
      );
    return item['type'] === 'Pod'
      ? violations(item, podAmounts(pod, 'requests'), podAmounts(pod, 'limits'))
      : [];
  });
}

function claimViolations(claim: KubeObject, range: KubeObject): string[] {
  const requests = amountsOf(fieldAt(claim, ['spec', 'resources', 'requests']));
  return itemsOf([range], 'PersistentVolumeClaim').flatMap((item) =>
    violations({ type: item['type'], min: item['min'], max: item['max'] }, requests, new Map()),
  );
}

/** 403 for a pod or claim that violates a limit range; the first violated limit range is reported. */
export function checkRanges(
  ranges: readonly KubeObject[],
  type: ResourceType,
  object: KubeObject,
  update?: { subresource?: string | undefined },
): void {
  const isPod = type.id === 'pods';
  const concerned = isPod
    ? update === undefined || update.subresource === 'resize'
    : type.id === 'persistentvolumeclaims' && update?.subresource === undefined;
  if (!concerned) return;
  for (const range of ranges) {
    const found = isPod ? podViolations(object as Pod, range) : claimViolations(object, range);
    const applied = [...new Set(found)];
    if (applied.length > 0)
      throw refuse.forbidden(
        type,
        object.metadata.name,
        applied.length === 1 ? (applied[0] ?? '') : `[${applied.join(', ')}]`,
      );
  }
}
