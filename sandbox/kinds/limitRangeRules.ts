import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { qualifiedNameFaults } from '../../schemas/pods/names.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { amountOf, amountText, thousandthsOf, wholeOf, type Amount } from '../../schemas/pods/amount.ts';

const types = new Set(['Container', 'PersistentVolumeClaim', 'Pod']);

function itemsOf(object: KubeObject): Fields[] {
  const limits = isFields(object['spec']) ? object['spec']['limits'] : undefined;
  return Array.isArray(limits) ? (limits as unknown[]).filter(isFields) : [];
}

/** Defaults of a limit range: limits from `max`, requests from limits and `min`. */
function withDefaults(object: KubeObject): KubeObject {
  const spec = isFields(object['spec']) ? object['spec'] : {};
  const { limits } = spec;
  if (!Array.isArray(limits)) return object;
  const complete = (item: unknown) => {
    if (!isFields(item) || item['type'] !== 'Container') return item;
    const { max, min, default: limit, defaultRequest } = item;
    const merged = (...parts: unknown[]) => Object.assign({}, ...parts.filter(isFields)) as Fields;
    const byDefault = merged(max, limit);
    const requests = merged(min, byDefault, defaultRequest);
    return {
      ...item,
      ...(Object.keys(byDefault).length === 0 ? {} : { default: byDefault }),
      ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
    };
  };
  return { ...object, spec: { ...spec, limits: limits.map(complete) } };
}

function checkType(type: unknown, path: string): FieldError[] {
  const name = typeof type === 'string' ? type : '';
  const faults = qualifiedNameFaults(name);
  if (faults.length > 0) return faults.map((fault) => field.invalid(path, name, fault));
  return name.includes('/') || types.has(name)
    ? []
    : [field.invalid(path, name, 'must be a standard limit type or fully qualified')];
}

const lists = ['min', 'max', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type List = (typeof lists)[number];

/** The limits of one resource. */
function checkResource(name: string, path: string, of: (list: List) => Amount | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const at = (list: List) => `${path}.${list}[${name}]`;
  /** Rejects `more` above `most`; `blamed` is the reported value, with the path of its field. */
  const atMost = (more: List, most: List, position: List, blamed: List, text: [string, string]) => {
    const [low, high, value] = [of(more), of(most), of(blamed)];
    if (low === undefined || high === undefined || value === undefined || low.billionths <= high.billionths)
      return;
    const detail = `${text[0]} value ${amountText(low)} is greater than ${text[1]} value ${amountText(high)}`;
    errors.push(field.invalid(at(position), amountText(value), detail));
  };
  atMost('min', 'max', 'min', 'min', ['min', 'max']);
  atMost('min', 'defaultRequest', 'defaultRequest', 'defaultRequest', ['min', 'default request']);
  atMost('defaultRequest', 'max', 'defaultRequest', 'defaultRequest', ['default request', 'max']);
  atMost('defaultRequest', 'default', 'defaultRequest', 'defaultRequest', [
    'default request',
    'default limit',
  ]);
  atMost('min', 'default', 'default', 'min', ['min', 'default']);
  atMost('default', 'max', 'default', 'max', ['default', 'max']);
  const [ratio, min, max] = [of('maxLimitRequestRatio'), of('min'), of('max')];
  if (ratio === undefined) return errors;
  const refuse = (why: string) =>
    errors.push(
      field.invalid(at('maxLimitRequestRatio'), amountText(ratio), `ratio ${amountText(ratio)} ${why}`),
    );
  if (ratio.billionths < 1_000_000_000n) refuse('is less than 1');
  if (min === undefined || max === undefined) return errors;
  const most = Number(thousandthsOf(max)) / Number(thousandthsOf(min));
  if (Number(wholeOf(ratio)) > most) refuse(`is greater than max/min = ${most.toFixed(6)}`);
  return errors;
}

function checkItem(item: Fields, path: string): FieldError[] {
  const { type } = item;
  const errors: FieldError[] = [];
  const amounts = new Map(
    lists.map((list) => [list, isFields(item[list]) ? item[list] : {}] as [List, Fields]),
  );
  const isPod = type === 'Pod';
  if (isPod)
    for (const list of ['default', 'defaultRequest'] as const) {
      if (Object.keys(amounts.get(list) ?? {}).length > 0)
        errors.push(field.forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"));
      amounts.delete(list);
    }
  const message = (list: List) => amounts.get(list)?.['storage'] !== undefined;
  if (type === 'PersistentVolumeClaim' && !message('min') && !message('max'))
    errors.push(
      field.required(
        `${path}.limits`,
        'either minimum or maximum storage value is required, but neither was provided',
      ),
    );
  const names = [...new Set([...amounts.values()].flatMap((list) => Object.keys(list)))].sort();
  for (const name of names)
    errors.push(...checkResource(name, path, (list) => amountOf(amounts.get(list)?.[name])));
  return errors;
}

function checkRange(object: KubeObject): FieldError[] {
  const seen = new Set<unknown>();
  return itemsOf(object).flatMap((item, index) => {
    const path = `spec.limits[${index}]`;
    const { type } = item;
    const errors = checkType(type, `${path}.type`);
    if (seen.has(type)) errors.push(field.duplicate(`${path}.type`, type));
    seen.add(type);
    return [...errors, ...checkItem(item, path)];
  });
}

/** Limit ranges: bounds and defaults for pods, containers and claims. */
export const limitRangeRules: KindRules = {
  createsOnUpdate: true,
  defaults: withDefaults,
  check: checkRange,
};
