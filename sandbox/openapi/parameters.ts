import type { OpenApiSchema } from './components.ts';

/** A parameter of an operation, with our own description. */
export interface Parameter {
  name: string;
  in: 'query' | 'path';
  required?: true;
  description: string;
  schema: OpenApiSchema;
}

function query(name: string, type: 'string' | 'integer' | 'boolean', description: string): Parameter {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

function inPath(name: string, description: string): Parameter {
  return { name, in: 'path', required: true, description, schema: { type: 'string', uniqueItems: true } };
}

const dryRun = query('dryRun', 'string', 'With `All`, everything is done but storing the object.');
const fieldManager = query('fieldManager', 'string', 'The name that owns the fields which are written.');
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What becomes of unknown fields and of fields given twice: `Ignore`, `Warn` or `Strict`.',
);
export const force = query('force', 'boolean', 'Takes fields over that others own; for apply alone.');
export const pretty = query('pretty', 'string', 'With `true`, the answer is laid out for reading.');

export const writeParameters = [dryRun, fieldManager, fieldValidation];

export const deleteParameters = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'Seconds the object has to end itself; 0 is at once.'),
  query(
    'orphanDependents',
    'boolean',
    'Whether dependents are left behind; propagationPolicy says it better.',
  ),
  query('propagationPolicy', 'string', 'What becomes of dependents: `Orphan`, `Background` or `Foreground`.'),
];

export const resourceVersion = query(
  'resourceVersion',
  'string',
  'The version that the answer must not be older than.',
);

export const listParameters = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may bring bookmarks.'),
  query('continue', 'string', 'Where the page before this one ended.'),
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
  query('limit', 'integer', 'The most objects that one page may have.'),
  resourceVersion,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: `Exact` or `NotOlderThan`.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with what is there.'),
  query('timeoutSeconds', 'integer', 'Seconds after which the answer or the watch ends.'),
  query('watch', 'boolean', 'Whether to go on with what changes.'),
];

export const deleteCollectionParameters = [
  ...deleteParameters,
  ...listParameters.filter(({ name }) => name !== 'allowWatchBookmarks' && name !== 'watch'),
].sort((a, b) => (a.name < b.name ? -1 : 1));

export const namespace = inPath('namespace', 'The namespace of the object.');

export function nameIn(kind: string): Parameter {
  return inPath('name', `name of the ${kind}`);
}

/** The parameters of a list in all namespaces. */
export const listEverywhereParameters = [...listParameters, pretty].sort((a, b) =>
  a.name < b.name ? -1 : 1,
);
