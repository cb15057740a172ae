import { _, Ajv } from 'ajv';
import type { CodeKeywordDefinition, KeywordCxt } from 'ajv';
import { getProperty, stringify } from 'ajv/dist/compile/codegen/index.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { crdFacts } from './crds.ts';
import { mapSchema, schemasFolder } from './schema.ts';
import { isTargetSchema } from './targets.ts';
import type { Schema, SchemaFile } from './schema.ts';

/** A validator to generate: its export name, its file, its definition, and whether null counts as absent. */
export interface ValidatorSpec {
  name: string;
  file: string;
  reference: string;
  nullIsAbsence: boolean;
}

const base = 'https://plan.kruise.io/schemas/';

/** Validators of schemas that are not kinds served here. */
const otherValidators: readonly ValidatorSpec[] = [
  {
    name: 'validatePodTemplate',
    file: 'podtemplate',
    reference: 'kubernetes/core.json#/definitions/PodTemplateSpec',
    nullIsAbsence: true,
  },
  {
    name: 'validateConfig',
    file: 'config',
    reference: 'config/kruise.json#/definitions/KruiseConfig',
    nullIsAbsence: false,
  },
  {
    name: 'validateRuntimeConfig',
    file: 'runtimeconfig',
    reference: 'config/runtime.json#/definitions/RuntimeConfig',
    nullIsAbsence: false,
  },
];

/** Every generated validator: one per kind, and the others. */
export function validatorSpecs(files: readonly SchemaFile[]): ValidatorSpec[] {
  return [...files.flatMap((file) => kindValidator(file) ?? []), ...otherValidators];
}

/** The validator of the kind in a file; undefined if it does not contain a kind. */
export function kindValidator(file: SchemaFile): ValidatorSpec | undefined {
  const facts = crdFacts(file);
  if (facts === undefined) return undefined;
  const { kind } = facts.names;
  return {
    name: `validate${kind}`,
    file: kind.toLowerCase(),
    reference: `${file.path}#/definitions/${kind}`,
    nullIsAbsence: isTargetSchema(file),
  };
}

const int32 = { minimum: -2147483648, maximum: 2147483647 };

/**
 * The strict form of a schema: unknown fields are errors unless they are preserved; 32-bit integers are bounded; a
 * union of scalar types is one `type` (one error instead of three).
 */
export function strictForm(schema: Schema): Schema {
  return mapSchema(schema, (node) => {
    const { format, default: _default, description: _description, anyOf, oneOf, ...rest } = node;
    const strict: Schema = rest;
    if (anyOf !== undefined) strict.type = anyOf.flatMap(({ type = [] }) => type);
    // A pattern applies to texts alone.
    for (const { pattern } of anyOf ?? []) if (pattern !== undefined) strict['pattern'] = pattern;
    if (oneOf !== undefined) strict['exactlyOne'] = oneOf.flatMap(({ required = [] }) => required);
    if (format === 'int32') Object.assign(strict, { ...int32, ...rest });
    if (node['x-kubernetes-preserve-unknown-fields'] === true) return openForm(strict);
    if (node.properties !== undefined) strict.additionalProperties = false;
    return strict;
  });
}

/** If unknown fields are preserved, only the type is validated, not the reference. */
function openForm({ $ref, ...node }: Schema): Schema {
  return $ref === undefined ? node : { ...node, type: 'object' };
}

/** `exactlyOne: [a, b]`: one error, while JSON Schema's `oneOf` would report one per alternative. */
const exactlyOne: CodeKeywordDefinition = {
  keyword: 'exactlyOne',
  type: 'object',
  schemaType: 'array',
  code(context: KeywordCxt): void {
    const counts = (context.schema as string[]).map(
      (field) => _`(${context.data}${getProperty(field)} === undefined ? 0 : 1)`,
    );
    context.fail(_`${counts.reduce((sum, count) => _`${sum} + ${count}`)} !== 1`);
  },
  error: {
    message: '',
    params: ({ schema }) => _`{choices: ${stringify(schema)}}`,
  },
};

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const quiet = {
  log: say,
  error: say,
  warn(message: string): void {
    if (!message.startsWith('DEPRECATED: option unicode')) say(message);
  },
};

/**
 * ajv copies all previous errors for each list item with errors, which takes minutes for a malicious list. They are
 * appended instead: the array belongs to the collecting function.
 */
function withLinearErrors(code: string): string {
  const copying = /vErrors\.concat\(([\w.]+)\)/g;
  const appended = code.replace(copying, 'append(vErrors, $1)');
  return `${appended}\nfunction append(all, more) { for (const one of more) all.push(one); return all; }\n`;
}

/** JavaScript and declarations of one validator: one ES module without imports. */
export async function validatorOf(
  files: readonly SchemaFile[],
  { name, reference, nullIsAbsence }: ValidatorSpec,
): Promise<{ code: string; declarations: string }> {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    // Small code: one function per definition, messages created by the report, lengths in UTF-16 units.
    inlineRefs: false,
    messages: false,
    unicode: false,
    // ajv recommends `unicode`; the lengths here are only upper limits, and the helper would need `require`.
    logger: quiet,
    code: { source: true, lines: true, esm: true },
  });
  ajv.addKeyword(exactlyOne);
  for (const keyword of [
    'x-kruise-crd',
    'x-kruise-value-versions',
    'x-kruise-version-defaults',
    'x-kruise-versions',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-list-type',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-validations',
  ]) {
    ajv.addKeyword(keyword);
  }
  for (const { schema } of files) ajv.addSchema(strictForm(schema));
  const compiled = ajv.getSchema(`${base}${reference}`);
  if (compiled === undefined) throw new Error(`no schema ${reference}`);
  const standalone = standaloneModule as unknown as (ajv: Ajv, validate: typeof compiled) => string;
  const compiledCode = withLinearErrors(standalone(ajv, compiled));
  const reporter = nullIsAbsence ? 'reportNullAsAbsence' : 'report';
  const entry = `
    import compiled from 'compiled:schema';
    import { ${reporter} as report } from './validator/report.ts';
    export function ${name}(data) { return report(compiled, data); }
  `;
  const result = await build({
    stdin: { contents: entry, resolveDir: schemasFolder, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'node20',
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    plugins: [
      {
        name: 'compiled-schema',
        setup(plugin) {
          plugin.onResolve({ filter: /^compiled:schema$/ }, ({ path }) => ({ path, namespace: 'compiled' }));
          plugin.onLoad({ filter: /.*/, namespace: 'compiled' }, () => ({
            contents: compiledCode,
            loader: 'js',
            resolveDir: schemasFolder,
          }));
        },
      },
    ],
  });
  const text = result.outputFiles[0]?.text ?? '';
  return {
    code: `// Generated by \`npm run generate\`; do not edit.\n${text}`,
    declarations: [
      '// Generated by `npm run generate`; do not edit.',
      `import type { SchemaError } from '../../validator/error.ts';`,
      '',
      '/** What does not fit the schema, sorted by path; empty when all is well. */',
      `export declare function ${name}(data: unknown): SchemaError[];`,
      '',
    ].join('\n'),
  };
}
