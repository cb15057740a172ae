import kruise from '../../schemas/config/kruise.json' with { type: 'json' };
import runtime from '../../schemas/config/runtime.json' with { type: 'json' };
import rolloutcommand from '../../schemas/plan/rolloutcommand.json' with { type: 'json' };
import workload from '../../schemas/kruise/workload.json' with { type: 'json' };
import rolloutplan from '../../schemas/plan/rolloutplan.json' with { type: 'json' };
import { markdownTable } from './markdown.ts';

/** As much of JSON Schema as the files of `schemas/` use. */
interface Schema {
  $ref?: string;
  description?: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  'x-kubernetes-int-or-string'?: boolean;
  /** Not of the files: what readers call its value. */
  called?: string;
}

interface Document extends Schema {
  definitions: Readonly<Record<string, Schema>>;
}

const HEADER = `# Fields

_Reference._ Every field of what people and programs write, generated from the schemas in \`schemas/\`. How the fields are
used is in [configuration](../configuration.md) and [checks](../checks.md). The fields of CloneSet are OpenKruise's
([differences](../differences.md#the-api)); the server stores \`v1beta1\`, and these pages write \`v1alpha1\`.

A field with \`[]\` is of each item of a list, one with \`*\` of each entry of a map. **Bold** fields are required.`;

/** The page of all fields. */
export function fieldsPage(): string {
  const parts: [string, Document, string | undefined][] = [
    ['kruise.yaml', kruise, undefined],
    ['Configuration of the runtime', runtime, undefined],
    ['RolloutPlan', rolloutplan, 'spec'],
    ['Status of a RolloutPlan', rolloutplan, 'status'],
    ['RolloutCommand', rolloutcommand, 'spec'],
    ['Status of a RolloutCommand', rolloutcommand, 'status'],
  ];
  const texts = parts.map(([title, document, of]) => {
    const top = resolved(document, document);
    const schema = of === undefined ? top : resolved(top.properties?.[of] ?? {}, document);
    return [
      `## ${title}`,
      schema.description ?? '',
      markdownTable(['field', 'value', 'meaning'], rowsOf(schema, document, '')),
    ].join('\n\n');
  });
  return [HEADER, ...texts].join('\n\n');
}

/** Definitions that other files use, too. */
const shared: Document['definitions'] = { ...workload.definitions, ...rolloutplan.definitions };

/** What readers call a value of such a definition. */
const VALUES: Readonly<Record<string, string>> = {
  CountOrPercent: 'count or percentage',
  CountOrWholePercent: 'count or percentage',
  Duration: 'duration',
  Hash: 'hash',
  LabelSelector: 'label selector',
};

/** A schema with what it refers to, in its own file or in one of those that others use; what it says itself counts. */
function resolved(schema: Schema, { definitions }: Document): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  const name = $ref.replace(/^.*#\/definitions\//, '');
  const found = definitions[name] ?? shared[name];
  if (found === undefined) throw new Error(`there is no ${$ref}`);
  const called = VALUES[name];
  return { ...found, ...own, ...(called === undefined ? {} : { called }) };
}

function rowsOf(schema: Schema, document: Document, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, reference]) => {
    const field = resolved(reference, document);
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    return [
      [isRequired ? `**\`${path}\`**` : `\`${path}\``, valueOf(field, document), field.description ?? ''],
      ...below(field, document, path),
    ];
  });
}

/** The fields of an object, of the items of a list or of the entries of a map. */
function below(field: Schema, document: Document, path: string): string[][] {
  if (field.items !== undefined) return rowsOf(resolved(field.items, document), document, `${path}[].`);
  const entries = field.additionalProperties;
  if (typeof entries === 'object') return rowsOf(resolved(entries, document), document, `${path}.*.`);
  return rowsOf(field, document, `${path}.`);
}

function valueOf(field: Schema, document: Document): string {
  if (field.called !== undefined) return field.called;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field['x-kubernetes-int-or-string'] === true) return 'count or percentage';
  if (Array.isArray(field.type) && field.type.includes('array')) return 'text or list';
  if (field.items !== undefined) {
    const { enum: values } = resolved(field.items, document);
    const of = values === undefined ? '' : ` of ${values.map((value) => `\`${String(value)}\``).join(', ')}`;
    return `list${of}${field.maxItems === undefined ? '' : `, at most ${field.maxItems}`}`;
  }
  if (field.type === 'integer' || field.type === 'number') return `number${range(field)}`;
  if (Array.isArray(field.type)) return 'text or map';
  if (field.type === 'string') return field.format === 'date-time' ? 'time' : 'text';
  return field.type === 'boolean' ? '`true`, `false`' : 'map';
}

function range({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, from ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}
