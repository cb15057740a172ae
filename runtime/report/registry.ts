/** One metric, as the table of metrics names it. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram, rising; the one without a bound is added. */
  buckets?: readonly number[];
}

/** Values of the labels, in the order of the definition. */
export type LabelValues = readonly string[];

/** The values of metrics, and their exposition in the text format of Prometheus. */
export interface Registry<Name extends string> {
  /** Of a counter. */
  add(name: Name, labels?: LabelValues, by?: number): void;
  /** Of a gauge, or of a counter whose value comes from elsewhere. */
  set(name: Name, labels: LabelValues, value: number): void;
  observe(name: Name, labels: LabelValues, value: number): void;
  /** Deletes every value of a metric. */
  clear(name: Name): void;
  /** The text format 0.0.4: metrics by name, values by labels. */
  render(): string;
}

interface Series {
  labels: LabelValues;
  value: number;
  /** Of a histogram, by bucket; the last one has no bound. */
  counts: number[];
  count: number;
}

/** Most combinations of labels of one metric; further ones are counted together as `other`. */
const MOST_SERIES = 1_000;

/**
 * A registry of the metrics of a definition table. prom-client was tried instead: it finds a series by its values, joined by
 * commas, so that values with a comma in them are counted together.
 */
export function createRegistry<Name extends string>(
  definitions: Readonly<Record<Name, MetricDefinition>>,
): Registry<Name> {
  const metrics = new Map<Name, Map<string, Series>>();

  function seriesOf(name: Name, labels: LabelValues): Series {
    const all = metrics.get(name) ?? new Map<string, Series>();
    metrics.set(name, all);
    const known = all.get(JSON.stringify(labels));
    if (known !== undefined) return known;
    const { buckets = [], labels: names } = definitions[name];
    const bounded = all.size < MOST_SERIES ? labels : names.map(() => 'other');
    const key = JSON.stringify(bounded);
    const series = all.get(key) ?? {
      labels: bounded,
      value: 0,
      counts: Array.from({ length: buckets.length + 1 }, () => 0),
      count: 0,
    };
    all.set(key, series);
    return series;
  }

  function linesOf(name: Name, definition: MetricDefinition): string[] {
    const all = metrics.get(name) ?? new Map<string, Series>();
    // A counter without labels starts at 0: rates and alerts need a first value.
    if (definition.labels.length === 0 && all.size === 0 && definition.type !== 'gauge') seriesOf(name, []);
    const lines = [...(metrics.get(name)?.values() ?? [])]
      .map((series) => ({ series, text: labelText(definition.labels, series.labels) }))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
      .flatMap(({ series, text }) =>
        definition.type === 'histogram'
          ? histogramLines(name, definition, series)
          : [`${name}${braced(text)} ${numberText(series.value)}`],
      );
    return [`# HELP ${name} ${escapeHelp(definition.help)}`, `# TYPE ${name} ${definition.type}`, ...lines];
  }

  return {
    add(name, labels = [], by = 1) {
      seriesOf(name, labels).value += by;
    },
    set(name, labels, value) {
      seriesOf(name, labels).value = value;
    },
    observe(name, labels, value) {
      const series = seriesOf(name, labels);
      const { buckets = [] } = definitions[name];
      const found = buckets.findIndex((bound) => value <= bound);
      const at = found < 0 ? buckets.length : found;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.value += value;
      series.count += 1;
    },
    clear: (name) => void metrics.delete(name),
    render() {
      const names = (Object.keys(definitions) as Name[]).sort();
      return `${names.flatMap((name) => linesOf(name, definitions[name])).join('\n')}\n`;
    },
  };
}

function histogramLines(name: string, { labels, buckets = [] }: MetricDefinition, series: Series): string[] {
  const text = labelText(labels, series.labels);
  let sum = 0;
  const lines = [...buckets.map(numberText), '+Inf'].map((bound, index) => {
    sum += series.counts[index] ?? 0;
    return `${name}_bucket${braced([text, `le="${bound}"`].filter(Boolean).join(','))} ${sum}`;
  });
  return [
    ...lines,
    `${name}_sum${braced(text)} ${numberText(series.value)}`,
    `${name}_count${braced(text)} ${series.count}`,
  ];
}

function labelText(names: readonly string[], values: LabelValues): string {
  return names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',');
}

function braced(text: string): string {
  return text === '' ? '' : `{${text}}`;
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', String.raw`\"`);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}
