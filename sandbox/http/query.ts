import type { DeleteOptions, ListOptions, WriteOptions } from '../../schemas/wire/cluster.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { refuse } from '../api/errors.ts';

const longestManager = 128;

/** A boolean query parameter: only `0` and `false` are false. */
export function flag(query: URLSearchParams, name: string): boolean | undefined {
  const given = query.get(name);
  return given === null ? undefined : given.toLowerCase() !== 'false' && given !== '0';
}

/** An integer query parameter. 400 with the parser's message if it is malformed. */
function integer(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const quoted = JSON.stringify(given);
  if (!/^[+-]?\d+$/.test(given))
    throw refuse.badRequest(`strconv.ParseInt: parsing ${quoted}: invalid syntax`);
  const value = BigInt(given);
  if (BigInt.asIntN(64, value) !== value)
    throw refuse.badRequest(`strconv.ParseInt: parsing ${quoted}: value out of range`);
  return Number(value);
}

function text(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}

export interface ReadQuery {
  list: Omit<ListOptions, 'namespace'>;
  watch: boolean;
  allowBookmarks: boolean;
  sendInitialEvents: boolean | undefined;
  /** The maximum duration of a watch. */
  timeoutSeconds: number | undefined;
}

function refuseOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw refuse.invalid({ group: 'meta.k8s.io', kind }, '', errors);
}

function checkRevisionMatch(query: URLSearchParams, watch: boolean): FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const path = 'resourceVersionMatch';
  const initial = flag(query, 'sendInitialEvents');
  const known = match === '' || match === 'Exact' || match === 'NotOlderThan';
  if (watch) {
    if (initial !== undefined) {
      if (match !== 'NotOlderThan')
        return [
          field.forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
        ];
      return [];
    }
    return match === ''
      ? []
      : [
          field.forbidden(
            path,
            'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
          ),
        ];
  }
  const errors: FieldError[] =
    initial === undefined
      ? []
      : [field.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (match === '') return errors;
  const revision = query.get('resourceVersion') ?? '';
  if (revision === '')
    errors.push(
      field.forbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  if (query.get('continue'))
    errors.push(field.forbidden(path, 'resourceVersionMatch is forbidden when continue is provided'));
  if (!known) errors.push(field.notSupported(path, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && revision === '0')
    errors.push(field.forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

/** The parameters of LIST and WATCH. 400 and 422 like the API server. */
export function readQuery(query: URLSearchParams, watched: boolean): ReadQuery {
  const limit = integer(query, 'limit');
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  const watch = watched || flag(query, 'watch') === true;
  refuseOptions('ListOptions', checkRevisionMatch(query, watch));
  const labelSelector = text(query, 'labelSelector');
  const fieldSelector = text(query, 'fieldSelector');
  const token = text(query, 'continue');
  const resourceVersion = text(query, 'resourceVersion');
  const match = text(query, 'resourceVersionMatch');
  return {
    list: {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(limit === undefined ? {} : { limit }),
      ...(token === undefined ? {} : { continue: token }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(match === 'Exact' || match === 'NotOlderThan' ? { resourceVersionMatch: match } : {}),
    },
    watch,
    allowBookmarks: flag(query, 'allowWatchBookmarks') === true,
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    timeoutSeconds,
  };
}

function checkDryRun(values: readonly string[]): FieldError[] {
  const wrong = values.filter((value) => value !== '' && value !== 'All');
  return wrong.length === 0 ? [] : [field.notSupported('dryRun', values, ['All'])];
}

function checkManager(manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > longestManager) return [field.tooLong('fieldManager', longestManager)];
  const position = [...manager].findIndex((character) => /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (position < 0) return [];
  const character = [...manager][position] ?? '';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return [
    {
      field: 'fieldManager',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${goQuoted(manager)}: invalid character U+${code} (at position ${position})`,
    },
  ];
}

/** Formats a string like Go's `%q` where JSON differs. */
function goQuoted(value: string): string {
  return JSON.stringify(value).replace(/\\u00([01][0-9a-f])/g, '\\x$1');
}

/** The manager of a write: the one it names, else the program of the User-Agent; `unknown` without either. */
function managerOf(query: URLSearchParams, userAgent: string | undefined): string {
  const named = text(query, 'fieldManager');
  if (named !== undefined) return named;
  const program = (userAgent?.split('/')[0] ?? '').replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
  return Buffer.from(program).subarray(0, longestManager).toString() || 'unknown';
}

export interface WriteQuery {
  options: WriteOptions;
  /** `force` of server-side apply. */
  force: boolean;
}

/** The options of create, update and patch. 422 if they are invalid. */
export function writeQuery(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  userAgent: string | undefined,
  apply = false,
): WriteQuery {
  const dryRun = query.getAll('dryRun');
  const validation = query.get('fieldValidation') ?? '';
  const force = flag(query, 'force');
  const manager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [];
  if (apply && manager === '') errors.push(field.required('fieldManager', 'is required for apply patch'));
  if (kind === 'PatchOptions' && !apply && force !== undefined)
    errors.push(field.forbidden('force', 'may not be specified for non-apply patch'));
  errors.push(...checkManager(manager), ...checkDryRun(dryRun));
  const known = validation === 'Strict' || validation === 'Warn' || validation === 'Ignore';
  if (!known && validation !== '')
    errors.push(field.notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  refuseOptions(kind, errors);
  const fieldManager = apply ? manager : managerOf(query, userAgent);
  return {
    options: {
      ...(dryRun.includes('All') ? { dryRun: true } : {}),
      ...(fieldManager === undefined ? {} : { fieldManager }),
      ...(known ? { fieldValidation: validation } : {}),
    },
    force: force === true,
  };
}

/** DeleteOptions from a query or a body, before validation. */
export interface RawDeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  dryRun?: readonly string[];
  uid?: string;
  resourceVersion?: string;
}

/** DeleteOptions of a query; ignored if there is a body. */
export function deleteQuery(query: URLSearchParams): RawDeleteOptions {
  const gracePeriodSeconds = integer(query, 'gracePeriodSeconds');
  const orphanDependents = flag(query, 'orphanDependents');
  const propagationPolicy = query.get('propagationPolicy');
  const dryRun = query.getAll('dryRun');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

/** Validates DeleteOptions. 422 if they are invalid. */
export function deleteOptions(raw: RawDeleteOptions): DeleteOptions {
  const { propagationPolicy: policy, orphanDependents, gracePeriodSeconds, uid, resourceVersion } = raw;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined)
    errors.push(
      field.invalid(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  const known = policy === 'Foreground' || policy === 'Background' || policy === 'Orphan';
  if (policy !== undefined && !known)
    errors.push(
      field.notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
    );
  errors.push(...checkDryRun(raw.dryRun ?? []));
  refuseOptions('DeleteOptions', errors);
  const implied = orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background';
  const propagationPolicy = known ? policy : implied;
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(raw.dryRun?.includes('All') === true ? { dryRun: true } : {}),
  };
}
