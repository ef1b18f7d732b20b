//! From DataFusion's errors to [`HandlerError`]: the kind a caller reacts to, a message of one line, and the place.
//!
//! Errors of this crate travel through DataFusion as external errors and come out unchanged. Of DataFusion's own,
//! the variant tells the kind; only where one variant stands for several (a plan error is a missing table as well as
//! a type that does not fit) are words of the message read.

use std::error::Error;

use datafusion::arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::parquet::errors::ParquetError;

use crate::error::{ErrorKind, HandlerError};
use crate::statement::Position;

impl From<HandlerError> for DataFusionError {
    fn from(error: HandlerError) -> Self {
        DataFusionError::External(Box::new(error))
    }
}

impl From<ArrowError> for HandlerError {
    fn from(error: ArrowError) -> Self {
        HandlerError::from(DataFusionError::from(error))
    }
}

impl From<DataFusionError> for HandlerError {
    fn from(error: DataFusionError) -> Self {
        let position = diagnosed_position(&error);
        let mut known = classify(error);
        known.position = known.position.or(position);
        known
    }
}

/// The first place that DataFusion's planner noted.
fn diagnosed_position(error: &DataFusionError) -> Option<Position> {
    let span = error.diagnostic()?.span?;
    Some(Position { line: span.start.line, column: span.start.column })
}

fn classify(error: DataFusionError) -> HandlerError {
    match error {
        DataFusionError::External(inner) => external(inner),
        DataFusionError::Context(description, inner) => context(&description, classify(*inner)),
        DataFusionError::Diagnostic(_, inner) => classify(*inner),
        DataFusionError::Collection(errors) => errors
            .into_iter()
            .next()
            .map_or_else(|| HandlerError::internal("an empty list of errors"), classify),
        DataFusionError::Shared(shared) => shared_error(&shared),
        DataFusionError::ArrowError(inner, _) => arrow(*inner),
        DataFusionError::ParquetError(inner) => parquet(*inner),
        DataFusionError::SchemaError(inner, _) => schema(&inner),
        DataFusionError::SQL(inner, _) => HandlerError::from_parser_message(&inner.to_string()),
        other => {
            let (kind, message) = kind_and_message(&other);
            let message = one_line(&message);
            HandlerError::new(kind, message).with_source(other)
        }
    }
}

/// The kinds of the variants that hold nothing more than a text.
fn kind_and_message(error: &DataFusionError) -> (ErrorKind, String) {
    match error {
        DataFusionError::Plan(message) => (plan_kind(message), message.clone()),
        DataFusionError::Configuration(message) => (ErrorKind::Invalid, message.clone()),
        DataFusionError::NotImplemented(message) => (ErrorKind::Unsupported, message.clone()),
        DataFusionError::Execution(message) => (execution_kind(message), message.clone()),
        DataFusionError::ResourcesExhausted(message) => (ErrorKind::Resource, message.clone()),
        DataFusionError::Internal(message) => (ErrorKind::Internal, message.clone()),
        DataFusionError::IoError(inner) => (io_kind(inner), inner.to_string()),
        DataFusionError::ExecutionJoin(inner) => {
            (ErrorKind::Internal, format!("a task of the query died: {inner}"))
        }
        DataFusionError::ParquetError(inner) => {
            let own = match inner.as_ref() {
                ParquetError::External(inner) => inner.downcast_ref::<HandlerError>(),
                _ => None,
            };
            own.map_or_else(
                || (ErrorKind::Corrupt, format!("in a Parquet file: {inner}")),
                |own| (own.kind, own.message.clone()),
            )
        }
        DataFusionError::ObjectStore(inner) => {
            let text = inner.to_string();
            let kind = if text.contains("not found") || text.contains("NotFound") {
                ErrorKind::NotFound
            } else {
                ErrorKind::Unavailable
            };
            (kind, text)
        }
        other => (ErrorKind::Internal, other.strip_backtrace()),
    }
}

fn plan_kind(message: &str) -> ErrorKind {
    let missing_table = message.starts_with("table '") && message.contains("not found")
        || message.starts_with("No table named")
        || message.starts_with("failed to resolve");
    if missing_table {
        ErrorKind::NotFound
    } else if message.contains("already exists") {
        ErrorKind::AlreadyExists
    } else {
        ErrorKind::Invalid
    }
}

/// DataFusion reports faulty input and a few missing things by one variant.
fn execution_kind(message: &str) -> ErrorKind {
    if message.contains("already exists") {
        ErrorKind::AlreadyExists
    } else if message.contains("doesn't exist") || message.contains("does not exist") {
        ErrorKind::NotFound
    } else {
        ErrorKind::Invalid
    }
}

fn io_kind(error: &std::io::Error) -> ErrorKind {
    match error.kind() {
        std::io::ErrorKind::NotFound => ErrorKind::NotFound,
        std::io::ErrorKind::AlreadyExists => ErrorKind::AlreadyExists,
        std::io::ErrorKind::PermissionDenied => ErrorKind::Unauthorized,
        std::io::ErrorKind::OutOfMemory
        | std::io::ErrorKind::StorageFull
        | std::io::ErrorKind::QuotaExceeded => ErrorKind::Resource,
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => ErrorKind::Corrupt,
        _ => ErrorKind::Unavailable,
    }
}

/// Errors that came from below: this crate's own, or those of a file reader or an object store.
fn external(error: Box<dyn Error + Send + Sync>) -> HandlerError {
    let error = match error.downcast::<HandlerError>() {
        Ok(own) => return *own,
        Err(error) => error,
    };
    let error = match error.downcast::<DataFusionError>() {
        Ok(engine) => return HandlerError::from(*engine),
        Err(error) => error,
    };
    let error = match error.downcast::<ArrowError>() {
        Ok(inner) => return arrow(*inner),
        Err(error) => error,
    };
    let error = match error.downcast::<ParquetError>() {
        Ok(inner) => return parquet(*inner),
        Err(error) => error,
    };
    match error.downcast::<std::io::Error>() {
        Ok(inner) => HandlerError::new(io_kind(&inner), one_line(&inner.to_string())).with_source(*inner),
        Err(error) => {
            let message = one_line(&error.to_string());
            HandlerError { source: Some(error), ..HandlerError::new(ErrorKind::Unavailable, message) }
        }
    }
}

/// A reader's errors tell of the file, unless they come from this program or from whoever gave it the bytes.
fn parquet(error: ParquetError) -> HandlerError {
    match error {
        ParquetError::External(inner)
            if inner.is::<HandlerError>()
                || inner.is::<DataFusionError>()
                || inner.is::<ArrowError>()
                || inner.is::<ParquetError>()
                || inner.is::<std::io::Error>()
                || inner.is::<datafusion::object_store::Error>() =>
        {
            external(inner)
        }
        other => HandlerError::corrupt(one_line(&format!("in a Parquet file: {other}"))).with_source(other),
    }
}

fn arrow(error: ArrowError) -> HandlerError {
    if let ArrowError::ExternalError(inner) = error {
        return external(inner);
    }
    let (kind, message) = match &error {
        ArrowError::DivideByZero => (ErrorKind::Invalid, "division by zero".to_owned()),
        ArrowError::CastError(message)
        | ArrowError::ParseError(message)
        | ArrowError::ComputeError(message)
        | ArrowError::ArithmeticOverflow(message)
        | ArrowError::InvalidArgumentError(message)
        | ArrowError::CsvError(message)
        | ArrowError::JsonError(message)
        | ArrowError::SchemaError(message) => (ErrorKind::Invalid, message.clone()),
        ArrowError::NotYetImplemented(message) => (ErrorKind::Unsupported, message.clone()),
        ArrowError::MemoryError(message) => (ErrorKind::Resource, message.clone()),
        ArrowError::IoError(message, inner) => (io_kind(inner), message.clone()),
        ArrowError::IpcError(message) | ArrowError::ParquetError(message) => {
            (ErrorKind::Corrupt, message.clone())
        }
        ArrowError::OffsetOverflowError(_) => (
            ErrorKind::Resource,
            "a column of one batch outgrew 2 GiB: SET datafusion.execution.batch_size lower".to_owned(),
        ),
        other => (ErrorKind::Invalid, other.to_string()),
    };
    HandlerError::new(kind, one_line(&message)).with_source(error)
}

/// An error that several partitions report: its owner keeps it, so a copy is made of what can be copied.
fn shared_error(error: &DataFusionError) -> HandlerError {
    let mut inner: &DataFusionError = error;
    loop {
        match inner {
            DataFusionError::Shared(next) => inner = next,
            DataFusionError::Context(_, next) | DataFusionError::Diagnostic(_, next) => inner = next,
            DataFusionError::External(next) => {
                return match (next.downcast_ref::<HandlerError>(), next.downcast_ref::<DataFusionError>()) {
                    (Some(own), _) => HandlerError {
                        position: own.position,
                        ..HandlerError::new(own.kind, own.message.clone())
                    },
                    (None, Some(engine)) => shared_error(engine),
                    (None, None) => HandlerError::new(ErrorKind::Unavailable, one_line(&next.to_string())),
                };
            }
            DataFusionError::ArrowError(next, _) => {
                return match next.as_ref() {
                    ArrowError::DivideByZero => HandlerError::invalid("division by zero"),
                    ArrowError::ExternalError(deeper) => match deeper.downcast_ref::<HandlerError>() {
                        Some(own) => HandlerError::new(own.kind, own.message.clone()),
                        None => HandlerError::new(ErrorKind::Unavailable, one_line(&deeper.to_string())),
                    },
                    other => HandlerError::invalid(one_line(&other.to_string())),
                };
            }
            DataFusionError::SchemaError(next, _) => return schema(next),
            DataFusionError::SQL(next, _) => return HandlerError::from_parser_message(&next.to_string()),
            other => {
                let (kind, message) = kind_and_message(other);
                return HandlerError::new(kind, one_line(&message));
            }
        }
    }
}

fn schema(error: &SchemaError) -> HandlerError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let names: Vec<&str> = valid_fields.iter().map(|column| column.name.as_str()).collect();
            let hint = match crate::suggest::nearest(&field.name, names.iter().copied()) {
                Some(near) if near.to_lowercase() == field.name.to_lowercase() => {
                    format!("did you mean \"{near}\"? Names in mixed case are written in double quotes")
                }
                Some(near) => format!("did you mean {near}?"),
                None if names.is_empty() => "there are no columns here".to_owned(),
                None => format!("the columns are {}", names.join(", ")),
            };
            HandlerError::invalid(format!("there is no column {field}; {hint}"))
        }
        other => HandlerError::invalid(one_line(&other.to_string())),
    }
}

/// Puts what the error belongs to in front, unless that is only the name of an optimizer rule.
fn context(description: &str, error: HandlerError) -> HandlerError {
    let noise = description.is_empty()
        || description.contains("Optimizer rule")
        || description.contains("operation on table")
        || description.contains("type_coercion")
        || description.contains("simplify_expressions");
    if noise {
        error
    } else {
        HandlerError { message: format!("{}: {}", one_line(description), error.message), ..error }
    }
}

/// An error is one line, without DataFusion's backtrace and without its remarks on who is to blame.
fn one_line(message: &str) -> String {
    let message = message.split("\n\nbacktrace:").next().unwrap_or_default();
    let message = message.split("\nThis issue was likely caused by a bug").next().unwrap_or_default();
    let mut line = String::with_capacity(message.len());
    for word in message.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    for prefix in
        ["Arrow error: ", "Cast error: ", "Parser error: ", "Error during planning: ", "Execution error: "]
    {
        if let Some(rest) = line.strip_prefix(prefix) {
            line = rest.to_owned();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int32Array, StringArray};
    use datafusion::arrow::record_batch::RecordBatch;
    use datafusion::prelude::{SessionConfig, SessionContext};

    use super::*;

    async fn failure(sql: &str) -> HandlerError {
        let mut config = SessionConfig::new();
        config.options_mut().sql_parser.collect_spans = true;
        let ctx = SessionContext::new_with_config(config);
        let batch = RecordBatch::try_from_iter([
            ("id", Arc::new(Int32Array::from(vec![1, 0])) as ArrayRef),
            ("Name", Arc::new(StringArray::from(vec!["abc", "5"])) as ArrayRef),
        ]);
        ctx.register_batch("events", batch.unwrap()).unwrap();
        let error = match ctx.sql(sql).await {
            Ok(frame) => frame.collect().await.unwrap_err(),
            Err(error) => error,
        };
        HandlerError::from(error)
    }

    #[tokio::test]
    async fn kinds_messages_and_places() {
        for (sql, kind, words, position) in [
            ("SELEC id FROM events", ErrorKind::Invalid, "SELEC", Some((1, 1))),
            ("SELECT id\n FROM evnts", ErrorKind::NotFound, "evnts", Some((2, 7))),
            ("SELECT idd FROM events", ErrorKind::Invalid, "did you mean id?", Some((1, 8))),
            ("SELECT name FROM events", ErrorKind::Invalid, "\"Name\"", Some((1, 8))),
            ("SELECT 1 / id FROM events", ErrorKind::Invalid, "division by zero", None),
            ("SELECT id FROM events WHERE \"Name\" > 9", ErrorKind::Invalid, "abc", None),
            ("SELECT nofunc(1)", ErrorKind::Invalid, "nofunc", Some((1, 8))),
            ("SELECT CAST('x' AS INT)", ErrorKind::Invalid, "'x'", None),
        ] {
            let error = failure(sql).await;
            assert_eq!(error.kind, kind, "{sql}: {error}");
            assert!(error.message.contains(words), "{sql}: {error}");
            assert!(!error.message.contains('\n'), "{sql}: {error}");
            if let Some((line, column)) = position {
                assert_eq!(error.position, Some(Position { line, column }), "{sql}: {error}");
            }
        }
    }

    #[test]
    fn our_own_errors_come_out_as_they_went_in() {
        let own = || HandlerError::new(ErrorKind::Unauthorized, "no").at(Position { line: 3, column: 4 });
        let wrapped = DataFusionError::from(own()).context("writing");
        let back = HandlerError::from(wrapped);
        assert_eq!((back.kind, back.position), (ErrorKind::Unauthorized, own().position));
        let shared = DataFusionError::Shared(Arc::new(DataFusionError::from(own())));
        assert_eq!(HandlerError::from(shared).kind, ErrorKind::Unauthorized);
        let arrow = ArrowError::ExternalError(Box::new(DataFusionError::from(own())));
        assert_eq!(HandlerError::from(arrow).kind, ErrorKind::Unauthorized);
        let reader = ParquetError::External(Box::new(own()));
        assert_eq!(HandlerError::from(DataFusionError::from(reader)).kind, ErrorKind::Unauthorized);
        let text = String::from_utf8(vec![0xff]).unwrap_err().utf8_error();
        let text = DataFusionError::from(ParquetError::External(Box::new(text)));
        assert_eq!(HandlerError::from(text).kind, ErrorKind::Corrupt);
        let exhausted = DataFusionError::ResourcesExhausted("memory".into());
        assert_eq!(HandlerError::from(exhausted).kind, ErrorKind::Resource);
    }
}
