//! Load and store functions that a program registers: what the traits promise, seen from outside of the crate, and
//! the same promises asked of the built-in functions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::sync::{Arc, Mutex};

use arrow::array::{Int32Array, StringArray};
use arrow::datatypes::{DataType, Field as ArrowField, Schema as ArrowSchema};
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use futures::StreamExt;
use ostracon_pig::engine::Engine;
use ostracon_pig::error::{PigError, PigErrorKind, Result, from_datafusion};
use ostracon_pig::load::{Layout, LoadFunc};
use ostracon_pig::run::Host;
use ostracon_pig::store::{StoreFunc, StoreInput};
use ostracon_pig::warnings::RunContext;
use ostracon_piglatin::ScriptParser;
use ostracon_piglatin::ast::ShellCommand;
use ostracon_piglatin::preprocess::Isolated;
use ostracon_piglatin::types::{Field, PigType, Schema};

/// `Numbers('n')`: the numbers from 1 to n and their names.
#[derive(Debug)]
struct Numbers {
    last: i32,
}

#[async_trait]
impl LoadFunc for Numbers {
    fn schema(&self, _: &str) -> Result<Option<Schema>> {
        Ok(Some(Schema::new(vec![Field::named("n", PigType::Int), Field::named("text", PigType::Chararray)])))
    }

    fn is_of_files(&self) -> bool {
        false
    }

    fn check(&self, path: &str) -> Result<()> {
        match path {
            "numbers" => Ok(()),
            _ => Err(PigError::new(PigErrorKind::NotFound, format!("there are no {path}"))),
        }
    }

    async fn plan(&self, _: &SessionContext, path: &str, _: &Layout, _: &RunContext) -> Result<LogicalPlan> {
        self.check(path)?;
        let columns = Arc::new(ArrowSchema::new(vec![
            ArrowField::new("f0", DataType::Int32, true),
            ArrowField::new("f1", DataType::Utf8, true),
        ]));
        let numbers = Int32Array::from_iter_values(1..=self.last);
        let texts = StringArray::from_iter_values((1..=self.last).map(|n| format!("no. {n}")));
        let batch = RecordBatch::try_new(Arc::clone(&columns), vec![Arc::new(numbers), Arc::new(texts)])
            .map_err(|error| from_datafusion(error.into()))?;
        let table = MemTable::try_new(columns, vec![vec![batch]]).map_err(from_datafusion)?;
        LogicalPlanBuilder::scan("numbers", provider_as_source(Arc::new(table)), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)
    }
}

/// Keeps rows in memory.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<RecordBatch>>>);

#[async_trait]
impl StoreFunc for Kept {
    fn check(&self, path: &str, _: Option<&Schema>) -> Result<()> {
        match path {
            "memory" => Ok(()),
            _ => Err(PigError::invalid(format!("{path} is no memory"))),
        }
    }

    async fn store(&self, _: &SessionContext, _: &str, mut input: StoreInput) -> Result<u64> {
        let mut rows = 0;
        while let Some(batch) = input.rows.next().await {
            let batch = batch.map_err(from_datafusion)?;
            rows += u64::try_from(batch.num_rows()).unwrap_or(0);
            self.0.lock().unwrap().push(batch);
        }
        Ok(rows)
    }
}

#[derive(Default)]
struct Output(Vec<u8>);

impl Host for Output {
    fn output(&mut self) -> &mut (dyn std::io::Write + Send) {
        &mut self.0
    }

    fn shell(&mut self, command: &ShellCommand) -> Result<()> {
        Err(PigError::invalid(format!("no shell: {}", command.command.text)))
    }
}

fn engine() -> (Engine, Kept) {
    let mut engine = Engine::new(SessionContext::new(), None);
    engine.loads.register("Numbers", |arguments| match arguments {
        [last] => match last.parse() {
            Ok(last) => Ok(Arc::new(Numbers { last })),
            Err(_) => Err(PigError::invalid(format!("Numbers takes a number, not {last}"))),
        },
        _ => Err(PigError::invalid("Numbers takes one number")),
    });
    let kept = Kept::default();
    let given = kept.clone();
    engine.stores.register("Kept", move |_| Ok(Arc::new(given.clone())));
    (engine, kept)
}

async fn run(engine: &Engine, script: &str) -> std::result::Result<String, String> {
    let mut session = engine.session(0, 0);
    let parser = ScriptParser::new(&Isolated, &Isolated);
    let checked = session.check(parser, "script", script).map_err(|error| error.to_string())?;
    let mut output = Output::default();
    session.run(&checked, &mut output).await.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(output.0).unwrap())
}

#[tokio::test]
async fn registered_functions_are_used_as_the_built_in_ones_are() {
    let (engine, kept) = engine();
    let script = "a = LOAD 'numbers' USING com.example.Numbers('3'); DESCRIBE a;
        b = FOREACH (FILTER a BY n != 2) GENERATE text, n * 10; DUMP b; STORE b INTO 'memory' USING Kept();";
    let output = run(&engine, script).await.unwrap();
    assert_eq!(output, "a: {n: int,text: chararray}\n(no. 1,10)\n(no. 3,30)\n");
    assert_eq!(kept.0.lock().unwrap().iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
}

#[tokio::test]
async fn what_they_refuse_is_told_before_anything_runs() {
    let (engine, kept) = engine();
    for (script, told) in [
        ("a = LOAD 'numbers' USING Numbers('x'); DUMP a;", "Numbers takes a number, not x"),
        ("a = LOAD 'letters' USING Numbers('3'); DUMP a;", "there are no letters"),
        ("a = LOAD 'numbers' USING Number('3'); DUMP a;", "did you mean Numbers?"),
    ] {
        let script =
            format!("z = LOAD 'numbers' USING Numbers('1'); STORE z INTO 'memory' USING Kept(); {script}");
        let error = run(&engine, &script).await.unwrap_err();
        assert!(error.contains(told), "{error}");
    }
    let error =
        run(&engine, "a = LOAD 'numbers' USING Numbers('3'); STORE a INTO 'disk' USING Kept();").await;
    assert!(error.unwrap_err().contains("disk is no memory"));
    assert!(kept.0.lock().unwrap().is_empty());
}

/// `schema_later` tells what `schema` will, for every function that keeps a schema: what a script stored and read at
/// once has the fields that another script finds.
#[tokio::test]
async fn fields_of_what_is_stored_are_known_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().display();
    let (engine, _) = engine();
    let functions = [
        ("PigStorage('|', '-schema')", "PigStorage('|')"),
        ("JsonStorage()", "JsonLoader()"),
        ("ParquetStorer()", "ParquetLoader()"),
        ("AvroStorage()", "AvroStorage()"),
    ];
    for (index, (store, load)) in functions.iter().enumerate() {
        let path = format!("{base}/{index}");
        let read = format!("c = LOAD '{path}' USING {load}; DESCRIBE c; DUMP c;");
        let script = format!(
            "a = LOAD 'numbers' USING Numbers('2');
             b = FOREACH a GENERATE n, (n, text) AS t:(x:int, y:chararray), {{(text)}} AS b:{{u:(v:chararray)}};
             STORE b INTO '{path}' USING {store}; {read}"
        );
        let at_once = run(&engine, &script).await.unwrap();
        assert!(at_once.contains("(1,(1,no. 1),{(no. 1)})"), "{store}: {at_once}");
        assert!(at_once.starts_with("c: {n: int,t: (x: int,y: chararray),b: {"), "{store}: {at_once}");
        assert_eq!(run(&engine, &read).await.unwrap(), at_once, "{store}");
        let again = run(&engine, &script).await.unwrap_err();
        assert!(again.contains("exists already"), "{store}: {again}");
    }
}
