CREATE VIEW runs AS SELECT * FROM 'parquet/runs/**/*.parquet';
CREATE VIEW facts AS SELECT * FROM 'parquet/facts/**/*.parquet';
CREATE VIEW clocks AS SELECT * FROM 'parquet/clocks/**/*.parquet';
CREATE VIEW waits AS SELECT * FROM 'parquet/waits/**/*.parquet';
CREATE VIEW findings AS SELECT * FROM 'parquet/findings/**/*.parquet';
CREATE VIEW sources AS SELECT * FROM 'parquet/sources/**/*.parquet';
CREATE VIEW histograms AS SELECT * FROM 'parquet/histograms/**/*.parquet';
CREATE FUNCTION p50 AS x -> quantileExactInclusive(0.5)(x);
