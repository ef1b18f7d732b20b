//! Segments against a model: the rows that went in.

mod damage;
mod kernels;
mod model;
mod round_trip;
